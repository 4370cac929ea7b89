// An object of an app file after its keys have been checked.

import SourceJSON

/// The members of one object, each key known and at most once.
struct AppFileFields {
    /// The path of the object in the file, such as `ios`; empty at the top.
    let place: String
    let range: SourceRange
    let members: [SourceMember]
    /// Keys that it has besides and that are not known here.
    var unknownCount = 0
    /// The known keys that those were probably meant to be.
    var misspelt: Set<String> = []

    subscript(key: String) -> SourceMember? { members.first { $0.key == key } }

    /// Whether a key is missing because it is misspelt, which is reported at the misspelt one.
    func lacksMisspelt(_ key: String) -> Bool { misspelt.contains(key) && self[key] == nil }

    func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }
}
