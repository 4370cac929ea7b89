// A string as JSON text, for the edits that findings suggest.

import SourceJSON

extension String {
    /// In quotation marks, with everything escaped that RFC 8259 §7 does not let stand as it is.
    var jsonQuoted: String { SourceWriter.quoted(self) }
}
