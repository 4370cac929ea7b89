// Values and rows of both engines: 64-bit integers, floating point, UTF-8 text, bytes and null. Dates are integers in
// milliseconds. There is no conversion: text is read as text.

/// One value, as a parameter of a statement or in a row.
public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case double(Double)
    case text(String)
    case blob([UInt8])

    var typeName: String {
        switch self {
        case .null: "null"
        case .integer: "integer"
        case .double: "double"
        case .text: "text"
        case .blob: "blob"
        }
    }
}

/// A type whose values can be stored in a column.
public protocol ColumnType {
    static var columnTypeName: String { get }

    /// Nil if the value has another type.
    init?(_ value: Value)

    var value: Value { get }
}

/// One row of a result. It stays valid after the statement and the connection are gone.
public struct Row: Hashable, Sendable {
    public let values: [Value]

    init(_ values: [Value]) { self.values = values }

    /// The value of a column, counted from 0: `let holder: String? = try row[2]`.
    public subscript<Column: ColumnType>(index: Int) -> Column {
        get throws(DatabaseError) {
            if let column = Column(values[index]) { return column }
            throw DatabaseError(
                .statement,
                "column \(index + 1) of a row is \(values[index].typeName) instead of \(Column.columnTypeName)")
        }
    }
}

extension Int64: ColumnType {
    public static var columnTypeName: String { "integer" }

    public init?(_ value: Value) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }

    public var value: Value { .integer(self) }
}

extension Double: ColumnType {
    public static var columnTypeName: String { "double" }

    public init?(_ value: Value) {
        guard case .double(let number) = value else { return nil }
        self = number
    }

    public var value: Value { .double(self) }
}

extension String: ColumnType {
    public static var columnTypeName: String { "text" }

    public init?(_ value: Value) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    public var value: Value { .text(self) }
}

extension [UInt8]: ColumnType {
    public static var columnTypeName: String { "blob" }

    public init?(_ value: Value) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }

    public var value: Value { .blob(self) }
}

extension Optional: ColumnType where Wrapped: ColumnType {
    public static var columnTypeName: String { "\(Wrapped.columnTypeName) or null" }

    public init?(_ value: Value) {
        if case .null = value {
            self = .none
        } else if let wrapped = Wrapped(value) {
            self = wrapped
        } else {
            return nil
        }
    }

    public var value: Value { self?.value ?? .null }
}
