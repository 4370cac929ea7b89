// Short ways to write a document down as values. They stand nowhere in a source, so all have the same empty range.

import SourceJSON

extension SourceValue {
    private static let nowhere: SourceRange = {
        let start = SourcePosition(line: 1, column: 1, offset: 0)
        return SourceRange(start: start, end: start)
    }()

    static func string(_ text: String) -> SourceValue { SourceValue(.string(text), range: nowhere) }
    static func bool(_ flag: Bool) -> SourceValue { SourceValue(.bool(flag), range: nowhere) }
    static func array(_ elements: [SourceValue]) -> SourceValue { SourceValue(.array(elements), range: nowhere) }
    static func strings(_ texts: [String]) -> SourceValue { array(texts.map { .string($0) }) }

    /// An object without the members whose value is nil.
    static func object(_ members: [(String, SourceValue?)]) -> SourceValue {
        let kept = members.compactMap { key, value in
            value.map { SourceMember(key: key, keyRange: nowhere, value: $0) }
        }
        return SourceValue(.object(kept), range: nowhere)
    }
}
