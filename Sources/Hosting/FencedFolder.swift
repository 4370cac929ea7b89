// A folder of `config/`, with the fence around it. Links in it may lead anywhere inside `config/`; when the folder itself is a
// link that leads out of that, then that is where the files are, and links may lead anywhere inside it.

import Posix

/// Something like `config/apps`, kept open.
final class FencedFolder: Sendable {
    let root: Folder
    /// Where the folder is below the root, with a slash behind it.
    let prefix: String

    init(_ name: String, in configPath: String) throws(SystemError) {
        let config = try Folder(configPath)
        var isInside = true
        do {
            _ = try Folder(name, inside: config)
        } catch {
            guard error.leadsOutside else { throw error }
            isInside = false
        }
        prefix = isInside ? "\(name)/" : ""
        root = isInside ? config : try Folder("\(configPath)/\(name)")
    }

    /// A folder below it.
    func folder(_ path: String) throws(SystemError) -> Folder { try Folder(prefix + path, inside: root) }
}
