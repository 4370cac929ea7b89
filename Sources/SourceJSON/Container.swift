// An array or object whose closing bracket has not been read yet.

/// One open bracket and what has been read since.
struct Container {
    enum Shape {
        case array
        case object
    }

    var shape: Shape
    let bracket: SourceRange
    var elements: [SourceValue] = []
    var members: [SourceMember] = []
    var keys = KeyIndex()
    /// The key that waits for its value.
    var key = ""
    var keyRange = SourceRange.none
    /// An object that was opened with `[`: it has members, so an object is what was meant.
    var isObjectInSquareBrackets = false

    init(_ shape: Shape, bracket: SourceRange) {
        self.shape = shape
        self.bracket = bracket
    }

    var closingBracket: UInt8 {
        shape == .array || isObjectInSquareBrackets ? Byte.closeBracket : Byte.closeBrace
    }

    var name: String { shape == .array ? "array" : "object" }

    /// The first member with the key that is about to be added.
    mutating func firstMember(named key: String) -> SourceMember? {
        keys.firstIndex(of: key, in: members).map { members[$0] }
    }

    consuming func value(endingAt end: SourcePosition) -> SourceValue {
        SourceValue(
            shape == .array ? .array(elements) : .object(members), range: SourceRange(start: bracket.start, end: end))
    }
}
