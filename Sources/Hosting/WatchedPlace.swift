// A directory that is watched, and what it means when something happens to a name in it.

/// A place in `config/` or `public/`. Names are those of folders below it, an empty one being the place itself.
enum WatchedPlace: Hashable {
    /// `config` itself, whose folders may be replaced as a whole.
    case config
    /// In `config/apps`.
    case apps(String)
    /// In `config/retired`.
    case retired(String)
    /// `config/hosts`.
    case hosts
    /// The folder of one host in it.
    case host(String)
    /// In its `well-known`.
    case wellKnown(String, String)
    /// `public`.
    case pageFolders
    /// In one of its folders.
    case pages(String, String)
    /// A folder that links lead into, by its path. Nothing in it has a meaning of its own.
    case behindLink(String)

    func path(config: String, pages: String) -> String {
        switch self {
        case .config: config
        case .apps(let folder): WatchedPlace.join("\(config)/apps", folder)
        case .retired(let folder): WatchedPlace.join("\(config)/retired", folder)
        case .hosts: "\(config)/hosts"
        case .host(let host): "\(config)/hosts/\(host)"
        case .wellKnown(let host, let folder): WatchedPlace.join("\(config)/hosts/\(host)/well-known", folder)
        case .pageFolders: pages
        case .pages(let host, let folder): WatchedPlace.join("\(pages)/\(host)", folder)
        case .behindLink(let path): path
        }
    }

    /// The place that a folder of this name in it is; nil when nothing in it matters.
    func place(of name: String) -> WatchedPlace? {
        switch self {
        case .config:
            switch name {
            case "apps": .apps("")
            case "retired": .retired("")
            case "hosts": .hosts
            default: nil
            }
        case .apps(let folder): .apps(WatchedPlace.join(folder, name))
        case .retired(let folder): .retired(WatchedPlace.join(folder, name))
        case .hosts: .host(name)
        case .host(let host): name == "well-known" ? .wellKnown(host, "") : nil
        case .wellKnown(let host, let folder): .wellKnown(host, WatchedPlace.join(folder, name))
        case .pageFolders: .pages(name, "")
        case .pages(let host, let folder): .pages(host, WatchedPlace.join(folder, name))
        case .behindLink: nil
        }
    }

    /// What is to be looked at when something happens to a name here.
    func changes(of name: String) -> TreeChanges {
        var changes = TreeChanges()
        switch self {
        case .config: changes.everything = place(of: name) != nil
        case .apps(let folder):
            let path = WatchedPlace.join(folder, name)
            if AppTree.isAppFile(name) { changes.appFiles = [path] } else { changes.appFolders = [path] }
        case .retired: changes.retired = true
        case .hosts: changes.hostFolders = [name]
        case .host(let host): if name == "well-known" { changes.hostFolders = [host] }
        case .wellKnown(let host, _): changes.hostFolders = [host]
        case .pageFolders: changes.pageFolders = [name]
        case .pages(let host, _): changes.pageFolders = [host]
        case .behindLink: break
        }
        return changes
    }

    /// What is to be looked at when anything here may have changed.
    var allChanges: TreeChanges {
        var changes = TreeChanges()
        switch self {
        case .config, .hosts, .pageFolders: changes.everything = true
        case .apps(let folder): changes.appFolders = [folder]
        case .retired: changes.retired = true
        case .host(let host), .wellKnown(let host, _): changes.hostFolders = [host]
        case .pages(let host, _): changes.pageFolders = [host]
        case .behindLink: break
        }
        return changes
    }

    /// The folder that no link in it leads out of.
    func root(config: String, pages: String) -> String {
        switch self {
        case .pageFolders, .pages: pages
        default: config
        }
    }

    private static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : name.isEmpty ? folder : "\(folder)/\(name)"
    }
}
