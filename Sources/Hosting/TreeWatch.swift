// Watches `config/` and `public/` for changes, directory by directory, and says what is to be looked at again. It reads no
// file and decides nothing: an event is a reason to look, and one too many costs a look.
//
// Kubernetes replaces a mounted folder by turning a link called `..data` to another directory; no name that matters has an
// event then, so a name that begins with two points means everything beside it. Links to anywhere else in the tree are
// followed too, as far as readers follow them.

public import Posix

/// One thread at a time uses it.
public final class TreeWatch: @unchecked Sendable {
    private let configPath: String
    private let publicPath: String
    private let watch: Watch
    private var places: [Int32: WatchedPlace] = [:]
    /// Further names of directories that have several, through links.
    private var aliases: [Int32: Set<WatchedPlace>] = [:]
    private var links = WatchedLinks()
    /// Directories in which a change may make a link lead to something else.
    private var behindLinks: Set<Int32> = []
    /// What the roots were when they were last looked at; another directory in their place has no events here.
    private var roots: [FileStatus.Identity?] = []

    /// Why not everything is watched; nil when it is.
    public private(set) var shortage: SystemError?

    private static let depthMax = 16

    /// - Parameter directoriesMax: how many directories may be watched, where that is less than the system allows.
    public init(configPath: String, publicPath: String, directoriesMax: Int32 = .max) throws(SystemError) {
        self.configPath = configPath
        self.publicPath = publicPath
        watch = try Watch(directoriesMax: directoriesMax)
    }

    /// Readable when there is something to take.
    public var descriptor: Int32 { watch.descriptor.number }

    /// Watches everything that is there now. Whoever calls it looks at everything afterwards: what happened before has no
    /// event.
    public func start() {
        shortage = nil
        roots = rootIdentities()
        add(.config)
        for name in ["apps", "retired"] { WatchedPlace.config.place(of: name).map { add($0) } }
        add(.hosts)
        add(.pageFolders)
    }

    /// Whether `config`, `public` or one of the folders in the former is another directory than it was: somebody turned a
    /// link on the way to it. Asked now and then.
    public func hasMoved() -> Bool { roots != rootIdentities() }

    /// What may have changed since the last call. New directories are watched from here on.
    public func take() -> TreeChanges {
        var changes = TreeChanges()
        var isBehindLink = false
        for event in watch.take() {
            if event.isOverflow {
                changes.everything = true
                continue
            }
            guard let place = places[event.directory] else { continue }
            isBehindLink = isBehindLink || behindLinks.contains(event.directory)
            for place in aliases[event.directory] ?? [place] { add(event, in: place, to: &changes) }
            if event.isEnd {
                places[event.directory] = nil
                aliases[event.directory] = nil
                behindLinks.remove(event.directory)
            }
        }
        if isBehindLink { lookAtLinks(&changes) }
        return changes
    }

    private func lookAtLinks(_ changes: inout TreeChanges) {
        for link in links.takeChanged(path: { path($0) }) {
            changes.merge(link.place.changes(of: link.name))
            watchBehind(link)
            guard let below = link.place.place(of: link.name), Directory.exists(path(link)) else { continue }
            add(below)
            changes.merge(below.allChanges)
        }
    }

    private func note(linkNamed name: String, in place: WatchedPlace) {
        let link = WatchedLinks.Link(place: place, name: name)
        links.note(link, path(link))
        watchBehind(link)
    }

    private func watchBehind(_ link: WatchedLinks.Link) {
        let root = link.place.root(config: configPath, pages: publicPath)
        for folder in File.foldersBehind(link: path(link), inside: root) {
            guard let number = noting({ () throws(SystemError) in try watch.add(folder) }) else { continue }
            if places[number] == nil { places[number] = .behindLink(folder) }
            behindLinks.insert(number)
        }
    }

    private func path(_ link: WatchedLinks.Link) -> String { "\(path(link.place))/\(link.name)" }

    private func add(_ event: Watch.Event, in place: WatchedPlace, to changes: inout TreeChanges) {
        if event.isMoveOfDirectory {
            // Another name of it, if it has one in the tree, has been told by the directory that it moved to.
            if Directory.identity(path(place)) == nil { watch.remove(event.directory) }
        }
        guard !event.name.isEmpty else { return }
        if event.name.hasPrefix("..") {
            add(place)
            changes.merge(place.allChanges)
            return
        }
        if event.name.hasPrefix(".") { return }
        if case .behindLink = place { return }
        let path = "\(path(place))/\(event.name)"
        if event.isArrival, File.linkTarget(path) != nil { note(linkNamed: event.name, in: place) }
        if event.isCreation, !event.isFolder, File.isEmptyRegular(path) {
            // Its content is still to come, and so is another event.
            return
        }
        changes.merge(place.changes(of: event.name))
        if let below = place.place(of: event.name), Directory.exists(path) {
            add(below)
            changes.merge(below.allChanges)
        }
    }

    /// Watches a directory and those below it.
    private func add(_ place: WatchedPlace, depth: Int = 0) {
        let path = path(place)
        guard let number = noting(refusals: true, { () throws(SystemError) in try watch.add(path) }) else { return }
        note(place, number)
        guard depth < TreeWatch.depthMax, place != .config else { return }
        if case .host = place {
            if let below = place.place(of: "well-known"), Directory.exists("\(path)/well-known") {
                if File.linkTarget("\(path)/well-known") != nil { note(linkNamed: "well-known", in: place) }
                add(below, depth: depth + 1)
            }
            return
        }
        let entries = noting { () throws(SystemError) in try Folder(path).list("") } ?? []
        for entry in entries where !entry.name.hasPrefix(".") {
            if entry.isLink { note(linkNamed: entry.name, in: place) }
            guard entry.kind == .directory else { continue }
            place.place(of: entry.name).map { add($0, depth: depth + entry.steps) }
        }
    }

    /// What comes of a call; nil, with the reason noted, when there was no descriptor or memory for it.
    private func noting<Result>(
        refusals: Bool = false, _ call: () throws(SystemError) -> Result
    ) -> Result? {
        do throws(SystemError) {
            return try call()
        } catch {
            if error.isShortage || refusals && !error.isMissing { shortage = shortage ?? error }
            return nil
        }
    }

    private func note(_ place: WatchedPlace, _ number: Int32) {
        // A directory that is there for links only gets its meaning.
        if case .behindLink = places[number] { places[number] = nil }
        guard let known = places[number], known != place else {
            places[number] = place
            return
        }
        // The directory was moved here, or it has both names through a link.
        let stillThere = (aliases[number] ?? [known]).filter {
            Directory.identity(path($0)) == Directory.identity(path(place))
        }
        places[number] = place
        aliases[number] = stillThere.isEmpty ? nil : stillThere.union([place])
    }

    private func path(_ place: WatchedPlace) -> String { place.path(config: configPath, pages: publicPath) }

    private func rootIdentities() -> [FileStatus.Identity?] {
        [configPath, "\(configPath)/apps", "\(configPath)/retired", "\(configPath)/hosts", publicPath].map {
            Directory.identity($0)
        }
    }
}
