// What a directory is watched for: what an event in it means, and what is then to be looked through for directories to watch.

/// A part of `config/` or `public/`.
enum WatchedPlace: Hashable {
    /// `config` itself, whose folders may be replaced as a whole.
    case config
    /// A folder of `config/apps`, by its path below that; an empty one is that itself.
    case apps(String)
    /// Anything that a link in `config/apps` leads to.
    case linkedApps
    /// Anything in `config/retired`.
    case retired
    /// `config/hosts`.
    case hosts
    /// The folder of one host in it.
    case host(String)
    /// Anything in the host's `well-known`.
    case wellKnown(String)
    /// `public`.
    case pageFolders
    /// Anything in one of its folders.
    case pages(String)

    /// What is to be looked through when a folder of this name comes; nil when nothing in it matters.
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
        // They are looked through as a whole.
        case .linkedApps: .apps("")
        case .retired, .wellKnown, .pages: self
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
        case .hosts: changes.hostFolders = [name]
        case .host(let host):
            if name == "well-known" { changes.hostFolders = [host] } else { changes.certificateFolders = [host] }
        case .pageFolders: changes.pageFolders = [name]
        case .linkedApps, .retired, .wellKnown, .pages: return allChanges
        }
        return changes
    }

    /// What is to be looked at when anything here may have changed.
    var allChanges: TreeChanges {
        var changes = TreeChanges()
        switch self {
        case .config, .hosts, .pageFolders: changes.everything = true
        case .apps(let folder): changes.appFolders = [folder]
        case .linkedApps: changes.appFolders = [""]
        case .retired: changes.retired = true
        case .host(let host), .wellKnown(let host): changes.hostFolders = [host]
        case .pages(let host): changes.pageFolders = [host]
        }
        return changes
    }

    /// Whether many directories may stand for it.
    var isOfMany: Bool {
        switch self {
        case .linkedApps, .retired, .wellKnown, .pages: true
        case .config, .apps, .hosts, .host, .pageFolders: false
        }
    }

    static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : name.isEmpty ? folder : "\(folder)/\(name)"
    }
}

/// Which directories are watched for what. Nearly all have one place; a directory that links of several lead to has more.
struct WatchedPlaces {
    private var first: [Int32: WatchedPlace] = [:]
    private var more: [Int32: Set<WatchedPlace>] = [:]
    /// The directories of places that have any number.
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

    /// Lets go of a directory, whatever it was watched for.
    mutating func remove(_ directory: Int32) {
        for place in self[directory] { remove(place, directory) }
    }
}
