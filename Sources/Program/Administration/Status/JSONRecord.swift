// Reports as JSON: a server writes them, and `associated status` reads them, also those of another version. Each record has one
// table of its members. A member that is missing or has another type keeps its default, unless it is required.

package import SourceJSON
import Telemetry

/// A type that is one JSON value.
package protocol JSONValue {
    var jsonValue: SourceValue { get }
    init?(_ value: SourceValue)
}

/// A type that is a JSON object.
package protocol JSONRecord: JSONValue {
    static var blank: Self { get }
    static var members: [JSONMember<Self>] { get }
}

package struct JSONMember<Record> {
    let name: String
    /// Nil to leave the member out.
    let write: (Record) -> SourceValue?
    /// False if the member is required and cannot be read.
    var read: (inout Record, SourceValue?) -> Bool = { _, _ in true }

    package static func needed<Value: JSONValue>(_ name: String, _ path: WritableKeyPath<Record, Value>) -> JSONMember {
        JSONMember(name: name, write: { $0[keyPath: path].jsonValue }) { record, value in
            guard let value = value.flatMap({ Value($0) }) else { return false }
            record[keyPath: path] = value
            return true
        }
    }

    package static func optional<Value: JSONValue>(_ name: String, _ path: WritableKeyPath<Record, Value>) -> JSONMember
    {
        var member = needed(name, path)
        let read = member.read
        member.read = { record, value in
            _ = read(&record, value)
            return true
        }
        return member
    }

    /// The same member with another function for writing.
    func written(_ write: @escaping (Record) -> SourceValue?) -> JSONMember {
        JSONMember(name: name, write: write, read: read)
    }

    /// A member that is left out if its value is the one of a blank record.
    package static func sparse<Value: JSONValue & Equatable>(
        _ name: String, _ path: WritableKeyPath<Record, Value>
    ) -> JSONMember where Record: JSONRecord {
        let usual = Record.blank[keyPath: path]
        return optional(name, path).written { $0[keyPath: path] == usual ? nil : $0[keyPath: path].jsonValue }
    }
}

extension JSONRecord {
    var object: [(String, SourceValue)] {
        Self.members.compactMap { member in member.write(self).map { (member.name, $0) } }
    }
    package var jsonValue: SourceValue { .object(object) }
    var json: [UInt8] { SourceWriter.canonical(jsonValue) }

    /// Nil if the value is not such a record.
    package init?(_ value: SourceValue) {
        self = Self.blank
        for member in Self.members where !member.read(&self, value.member(named: member.name)) { return nil }
    }

    /// Nil if the bytes are anything else.
    package init?(json bytes: [UInt8], limits: SourceLimits = SourceLimits()) {
        let document = SourceReader.read(bytes, as: .json, limits: limits)
        guard document.isAcceptable, let value = document.value else { return nil }
        self.init(value)
    }
}

extension String: JSONValue {
    package var jsonValue: SourceValue { .string(self) }

    package init?(_ value: SourceValue) {
        guard let text = value.asString else { return nil }
        self = text
    }
}

extension Bool: JSONValue {
    package var jsonValue: SourceValue { .bool(self) }

    package init?(_ value: SourceValue) {
        guard let flag = value.asBool else { return nil }
        self = flag
    }
}

/// A whole number that every reader of JSON reads alike (RFC 8259 §6). Numbers beyond these bounds are rejected, so the
/// difference of two of them cannot overflow, whatever program sent the answer.
extension JSONValue where Self: FixedWidthInteger {
    package var jsonValue: SourceValue { .integer(Int(clamping: self)) }

    package init?(_ value: SourceValue) {
        let bound = (1 << 53) - 1
        guard let number = value.asInt, (-bound...bound).contains(number) else { return nil }
        self.init(clamping: number)
    }
}

extension Int: JSONValue {}
extension Int64: JSONValue {}
extension UInt64: JSONValue {}
extension UInt16: JSONValue {}

extension Array: JSONValue where Element: JSONValue {
    package var jsonValue: SourceValue { .array(map(\.jsonValue)) }

    package init?(_ value: SourceValue) {
        guard let elements = value.asArray else { return nil }
        self = elements.compactMap { Element($0) }
    }
}

/// Nil is written as null; a value that cannot be read becomes nil.
extension Optional: JSONValue where Wrapped: JSONValue {
    package var jsonValue: SourceValue { self?.jsonValue ?? .null }

    package init?(_ value: SourceValue) { self = Wrapped(value) }
}

extension ReloadFigures.Outcome: JSONValue {
    package var jsonValue: SourceValue { .string(rawValue) }

    package init?(_ value: SourceValue) { self.init(rawValue: value.asString ?? "") }
}

extension RequestedDocument: JSONValue {
    package var jsonValue: SourceValue { .string(label) }

    package init?(_ value: SourceValue) {
        guard let kind = RequestedDocument.allCases.first(where: { $0.label == value.asString }) else { return nil }
        self = kind
    }
}

extension VerifierKind: JSONValue {
    package var jsonValue: SourceValue { .string(label) }

    package init?(_ value: SourceValue) {
        guard let kind = VerifierKind.known.first(where: { $0.label == value.asString }) else { return nil }
        self = kind
    }
}
