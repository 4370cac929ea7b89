// Two more ways to write a document down as values, beside those that `SourceJSON` has.

import SourceJSON

extension SourceValue {
    static func strings(_ texts: [String]) -> SourceValue { array(texts.map { .string($0) }) }

    /// An object without the members whose value is nil.
    static func object(present members: [(String, SourceValue?)]) -> SourceValue {
        object(members.compactMap { key, value in value.map { (key, $0) } })
    }
}
