// Watches `config/` and `public/` for changes, directory by directory, and says what is to be looked at again. It reads no
// file and decides nothing: an event is a reason to look, and one too many costs a look.
//
// Kubernetes replaces a mounted folder by turning a link called `..data` to another directory; no name that matters has an
// event then, so a name that begins with two points means everything beside it.

public import Posix

/// One thread at a time uses it.
public final class TreeWatch: @unchecked Sendable {
    private let configPath: String
    private let publicPath: String
    private let watch: Watch
    private var places: [Int32: WatchedPlace] = [:]
    /// Further names of directories that have several, through links.
    private var aliases: [Int32: Set<WatchedPlace>] = [:]
    /// What the roots were when they were last looked at; another directory in their place has no events here.
    private var roots: [FileStatus.Identity?] = []

    /// Why not everything is watched; nil when it is.
    public private(set) var shortage: SystemError?

    private static let depthMax = 16

    public init(configPath: String, publicPath: String) throws(SystemError) {
        self.configPath = configPath
        self.publicPath = publicPath
        watch = try Watch()
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
        for event in watch.take() {
            if event.isOverflow {
                changes.everything = true
                continue
            }
            guard let place = places[event.directory] else { continue }
            for place in aliases[event.directory] ?? [place] { add(event, in: place, to: &changes) }
            if event.isEnd {
                places[event.directory] = nil
                aliases[event.directory] = nil
            }
        }
        return changes
    }

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
        let path = "\(path(place))/\(event.name)"
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
        do {
            let number = try watch.add(path)
            note(place, number)
        } catch {
            if !error.isMissing { shortage = shortage ?? error }
            return
        }
        guard depth < TreeWatch.depthMax, place != .config, let folder = try? Folder(path) else { return }
        if case .host = place {
            if let below = place.place(of: "well-known"), Directory.exists("\(path)/well-known") {
                add(below, depth: depth + 1)
            }
            return
        }
        for entry in (try? folder.list("")) ?? [] where entry.kind == .directory && !entry.name.hasPrefix(".") {
            place.place(of: entry.name).map { add($0, depth: depth + 1) }
        }
    }

    private func note(_ place: WatchedPlace, _ number: Int32) {
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
