// The kinds of values in words.

import SourceJSON

extension SourceValue {
    /// What a value is, as the end of "it is …".
    var spokenName: String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
