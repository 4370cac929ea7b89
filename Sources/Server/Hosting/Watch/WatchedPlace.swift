// Why a directory is watched: what an event in it means, and which folders are then walked for new directories.

/// A part of `config/` or `public/`, or of what the manager writes.
enum WatchedPlace: Hashable {
    /// `config` itself: folders in it may be replaced.
    case config
    /// A folder of `config/apps`, by its path below; empty for `apps` itself.
    case apps(String)
    /// Everything that links in `config/apps` lead to.
    case linkedApps
    /// The folder with the published folders of tenants. The manager replaces each as a whole, which is an event here.
    case published
    /// Everything in `config/retired`, and the folder with the retired files of published tenants.
    case retired
    /// `config/hosts`.
    case hosts
    /// One host's folder in it.
    case host(String)
    /// Everything in the host's `well-known`.
    case wellKnown(String)
    /// `public`.
    case pageFolders
    /// Everything in one of its folders.
    case pages(String)
    /// The folder with the manager's certificates.
    case managed

    /// What to walk when a folder with this name appears; nil if its content does not matter.
    func place(of name: String) -> WatchedPlace? {
        switch self {
        case .config:
            switch name {
            case "apps": .apps("")
            case "retired": .retired
            case "hosts": .hosts
            default: nil
            }
        case .apps(let folder): .apps(WatchedPlace.join(folder, name))
        case .hosts: .host(name)
        case .host(let host): name == "well-known" ? .wellKnown(host) : nil
        case .pageFolders: .pages(name)
        // Links are walked as a whole.
        case .linkedApps: .apps("")
        case .retired, .wellKnown, .pages: self
        case .managed, .published: nil
        }
    }

    /// What to read when something happens to a name here.
    func changes(of name: String) -> TreeChanges {
        var changes = TreeChanges()
        switch self {
        case .config: changes.everything = place(of: name) != nil
        case .apps(let folder):
            let path = WatchedPlace.join(folder, name)
            if AppTree.isAppFile(name) { changes.appFiles = [path] } else { changes.appFolders = [path] }
        case .hosts: changes.hostFolders = [name]
        case .host(let host):
            if name == "well-known" { changes.hostFolders = [host] } else { changes.certificateFolders = [host] }
        case .pageFolders: changes.pageFolders = [name]
        case .published: changes.appFolders = [name]
        case .managed: changes.certificateFolders = [name]
        case .linkedApps, .retired, .wellKnown, .pages: return allChanges
        }
        return changes
    }

    /// What to read when anything here may have changed.
    var allChanges: TreeChanges {
        var changes = TreeChanges()
        switch self {
        case .config, .hosts, .pageFolders, .managed: changes.everything = true
        case .apps(let folder): changes.appFolders = [folder]
        case .linkedApps, .published: changes.appFolders = [""]
        case .retired: changes.retired = true
        case .host(let host), .wellKnown(let host): changes.hostFolders = [host]
        case .pages(let host): changes.pageFolders = [host]
        }
        return changes
    }

    /// Whether the place can be many directories.
    var isOfMany: Bool {
        switch self {
        case .linkedApps, .retired, .wellKnown, .pages: true
        case .config, .apps, .published, .hosts, .host, .pageFolders, .managed: false
        }
    }

    static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : name.isEmpty ? folder : "\(folder)/\(name)"
    }
}

/// The places of each watched directory. Nearly all have one; a directory that several links lead to has more.
struct WatchedPlaces {
    private var first: [Int32: WatchedPlace] = [:]
    private var more: [Int32: Set<WatchedPlace>] = [:]
    /// The directories of places that can have many.
    private var directories: [WatchedPlace: Set<Int32>] = [:]

    subscript(directory: Int32) -> [WatchedPlace] { (first[directory].map { [$0] } ?? []) + (more[directory] ?? []) }

    var count: Int { first.count }

    func contains(_ directory: Int32) -> Bool { first[directory] != nil }

    func directories(of place: WatchedPlace) -> Set<Int32> { directories[place] ?? [] }

    mutating func insert(_ place: WatchedPlace, _ directory: Int32) {
        if place.isOfMany { directories[place, default: []].insert(directory) }
        guard let known = first[directory] else { return first[directory] = place }
        if known != place { more[directory, default: []].insert(place) }
    }

    mutating func remove(_ place: WatchedPlace, _ directory: Int32) {
        if directories[place]?.remove(directory) != nil, directories[place]?.isEmpty == true {
            directories[place] = nil
        }
        more[directory]?.remove(place)
        if first[directory] == place { first[directory] = more[directory]?.popFirst() }
        if more[directory]?.isEmpty == true { more[directory] = nil }
    }

    mutating func remove(_ directory: Int32) {
        for place in self[directory] { remove(place, directory) }
    }
}
