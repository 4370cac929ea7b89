// An array or object whose closing bracket has not been read yet.

/// One open bracket and what has been read since.
struct Container {
    enum Shape {
        /// The text itself, which holds one value and is closed by nothing.
        case document
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

    var name: String {
        switch shape {
        case .document: "text"
        case .array: "array"
        case .object: "object"
        }
    }

    /// The first member with the key that is about to be added.
    mutating func firstMember(named key: String) -> SourceMember? {
        keys.firstIndex(of: key, in: members).map { members[$0] }
    }

    /// What it is once it is closed.
    var kind: SourceValue.Kind { shape == .array ? .array(elements) : .object(members) }
}
