// What to do about a key that a reader does not know: write the known one that was probably meant, unless the object
// has that already, in which case the correction would write it twice.

import SourceJSON

/// The remedy for one unknown key.
struct KeyRemedy {
    /// What to do, where a known key is near.
    let fix: String?
    /// The mechanical correction, where there is one.
    let edit: SourceEdit?

    /// `replacement` is the known key as the file would have it, quoted or not.
    init(_ member: SourceMember, nearest: String?, beside members: [SourceMember], replacement: (String) -> String) {
        guard let nearest else {
            fix = nil
            edit = nil
            return
        }
        let written = replacement(nearest)
        if members.contains(where: { $0.key == nearest }) {
            fix = "remove it; the object already has `\(nearest)`"
            edit = nil
        } else {
            fix = "write \(written == nearest ? "`\(nearest)`" : written)"
            edit = SourceEdit(range: member.keyRange, replacement: written)
        }
    }
}
