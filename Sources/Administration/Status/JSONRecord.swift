// Reports as JSON, and back: a server writes them, and `associated status` reads them, of another version too. One table for each
// record has its members. One that is not there, or is something else, keeps its default, or the record cannot do without it.

import SourceJSON
import Telemetry

/// What is one value of JSON.
protocol JSONValue {
    var jsonValue: SourceValue { get }
    init?(_ value: SourceValue)
}

/// What is an object of JSON.
protocol JSONRecord: JSONValue {
    static var blank: Self { get }
    static var members: [JSONMember<Self>] { get }
}

struct JSONMember<Record> {
    let name: String
    let write: (Record) -> SourceValue
    /// False for what the record cannot do without.
    var read: (inout Record, SourceValue?) -> Bool = { _, _ in true }

    static func needed<Value: JSONValue>(_ name: String, _ path: WritableKeyPath<Record, Value>) -> JSONMember {
        JSONMember(name: name, write: { $0[keyPath: path].jsonValue }) { record, value in
            guard let value = value.flatMap({ Value($0) }) else { return false }
            record[keyPath: path] = value
            return true
        }
    }

    static func optional<Value: JSONValue>(_ name: String, _ path: WritableKeyPath<Record, Value>) -> JSONMember {
        var member = needed(name, path)
        let read = member.read
        member.read = { record, value in
            _ = read(&record, value)
            return true
        }
        return member
    }

    /// The same, written in another way than it is read.
    func written(_ write: @escaping (Record) -> SourceValue) -> JSONMember {
        JSONMember(name: name, write: write, read: read)
    }
}

extension JSONRecord {
    var object: [(String, SourceValue)] { Self.members.map { ($0.name, $0.write(self)) } }
    var jsonValue: SourceValue { .object(object) }
    var json: [UInt8] { SourceWriter.canonical(jsonValue) }

    static func read(_ value: SourceValue) -> Self? {
        var record = blank
        return members.allSatisfy { $0.read(&record, value.member(named: $0.name)) } ? record : nil
    }

    init?(_ value: SourceValue) {
        guard let record = Self.read(value) else { return nil }
        self = record
    }
}

extension String: JSONValue {
    var jsonValue: SourceValue { .string(self) }

    init?(_ value: SourceValue) {
        guard let text = value.asString else { return nil }
        self = text
    }
}

extension Bool: JSONValue {
    var jsonValue: SourceValue { .bool(self) }

    init?(_ value: SourceValue) {
        guard let flag = value.asBool else { return nil }
        self = flag
    }
}

/// A whole number that every reader of JSON takes for the same one (RFC 8259 §6). What is beyond is not meant, and with such bounds
/// no difference of two of them is too large for a number: what answers a command may be anybody.
extension JSONValue where Self: FixedWidthInteger {
    var jsonValue: SourceValue { .integer(Int(clamping: self)) }

    init?(_ value: SourceValue) {
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
    var jsonValue: SourceValue { .array(map(\.jsonValue)) }

    init?(_ value: SourceValue) {
        guard let elements = value.asArray else { return nil }
        self = elements.compactMap { Element($0) }
    }
}

/// Null where there is none; what cannot be read is none.
extension Optional: JSONValue where Wrapped: JSONValue {
    var jsonValue: SourceValue { self?.jsonValue ?? .null }

    init?(_ value: SourceValue) { self = Wrapped(value) }
}

extension ReloadFigures.Outcome: JSONValue {
    var jsonValue: SourceValue { .string(rawValue) }

    init?(_ value: SourceValue) { self.init(rawValue: value.asString ?? "") }
}

extension RequestedDocument: JSONValue {
    var jsonValue: SourceValue { .string(label) }

    init?(_ value: SourceValue) {
        guard let kind = RequestedDocument.allCases.first(where: { $0.label == value.asString }) else { return nil }
        self = kind
    }
}

extension VerifierKind: JSONValue {
    var jsonValue: SourceValue { .string(label) }

    init?(_ value: SourceValue) {
        guard let kind = VerifierKind.known.first(where: { $0.label == value.asString }) else { return nil }
        self = kind
    }
}
