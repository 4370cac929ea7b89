// A value on its way from the text to the model.

import SourceJSON

/// A value and where it was written.
struct Located<Value> {
    var value: Value
    var range: SourceRange
}
