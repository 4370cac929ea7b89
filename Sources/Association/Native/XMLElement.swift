// What native projects write their side of an association in: elements with attributes, text and places. Names are kept as
// they are written; namespaces are not resolved, because the two formats read here have one customary prefix each.

import SourceJSON

/// One element of an XML text; places are byte offsets.
struct XMLElement {
    var name: String
    var attributes: [(name: String, value: String)] = []
    var children: [XMLElement] = []
    /// The text directly in it, its parts joined.
    var text = ""
    /// The start tag.
    var tag: Range<Int>
    /// What stands between the tags.
    var content: Range<Int>

    /// The value of an attribute, whatever prefix its namespace has.
    func attribute(_ name: String) -> String? {
        attributes.first { ($0.name.split(separator: ":").last ?? "").utf8.elementsEqual(name.utf8) }?.value
    }

    /// Every element of that name in it, at any depth, itself included. The reader bounds the depth.
    func all(_ name: String) -> [XMLElement] {
        (self.name.isIdentical(to: name) ? [self] : []) + children.flatMap { $0.all(name) }
    }
}
