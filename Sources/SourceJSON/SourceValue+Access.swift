// Looking into a value, and making one that was never written anywhere.

extension SourceValue {
    /// The value of the first member with this key; nil if there is none or this is no object.
    public func member(named name: String) -> SourceValue? {
        guard case .object(let members) = kind else { return nil }
        for member in members where member.key.isIdentical(to: name) { return member.value }
        return nil
    }

    /// Every member with this key, in order: more than one where a key is repeated.
    public func members(named name: String) -> [SourceMember] {
        guard case .object(let members) = kind else { return [] }
        return members.filter { $0.key.isIdentical(to: name) }
    }

    public var asString: String? {
        if case .string(let string) = kind { string } else { nil }
    }

    public var asBool: Bool? {
        if case .bool(let bool) = kind { bool } else { nil }
    }

    public var asNumber: SourceNumber? {
        if case .number(let number) = kind { number } else { nil }
    }

    public var asInt: Int? { asNumber?.asInt }

    public var asArray: [SourceValue]? {
        if case .array(let elements) = kind { elements } else { nil }
    }

    public var asObject: [SourceMember]? {
        if case .object(let members) = kind { members } else { nil }
    }
}

extension SourceValue {
    public static var null: SourceValue { SourceValue(.null, range: .none) }

    public static func bool(_ bool: Bool) -> SourceValue { SourceValue(.bool(bool), range: .none) }

    public static func integer(_ integer: Int) -> SourceValue {
        SourceValue(.number(SourceNumber(text: String(integer))), range: .none)
    }

    public static func string(_ string: String) -> SourceValue { SourceValue(.string(string), range: .none) }

    public static func array(_ elements: [SourceValue]) -> SourceValue { SourceValue(.array(elements), range: .none) }

    public static func object(_ members: [(String, SourceValue)]) -> SourceValue {
        SourceValue(.object(members.map { SourceMember(key: $0.0, keyRange: .none, value: $0.1) }), range: .none)
    }
}

extension [SourceMember] {
    /// Each key once, with the value that was written last, as most readers have it; in linear time.
    public var withLastOfEachKey: [SourceMember] {
        var keys = KeyIndex()
        var kept: [SourceMember] = []
        kept.reserveCapacity(count)
        for member in self {
            if let index = keys.firstIndex(of: member.key, in: kept) {
                kept[index] = member
            } else {
                kept.append(member)
            }
        }
        return kept
    }
}
