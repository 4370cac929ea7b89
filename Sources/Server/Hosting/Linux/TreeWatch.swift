// Watches each directory of `config/` and `public/`, and those in which the manager puts certificates and what tenants publish, with
// inotify and reports what must be read again. It reads no file and decides nothing: a superfluous event costs one check.
//
// A host's files are walked as a whole, with the same limits as for rendering, and once for any number of events; so links cannot
// make watching expensive. Kubernetes updates a mounted folder by pointing a link named `..data` to another directory, with no
// event for the files in it; so an event for a name that begins with two dots counts for everything in the folder. The
// directories on the path of a link are watched too.

public import HTTP
public import Posix
public import Tenancy

/// Used by one thread at a time.
public final class TreeWatch: @unchecked Sendable {
    private let folders: HostFolders
    /// The folder with the manager's certificates. The manager replaces a host's folder in it as a whole, which is an event here. Where
    /// it cannot, because the folder has other files too, the survey of certificates finds the new ones.
    private let managedPath: String?
    private let tenantOfHost: (String) -> TenantID
    private let watch: Watch
    private let directoriesMax: Int
    /// The watched directories, and where each is in the room.
    private var room: FairShare<Int32>
    private var placesInRoom: [Int32: Int] = [:]
    private var watched = WatchedPlaces()
    /// Directories in which a change may make a link point elsewhere.
    private var behindLinks = WatchedPlaces()
    /// The paths of directories whose place does not determine it.
    private var paths: [Int32: String] = [:]
    /// The identities of the root folders when watching began. If another directory takes the place of one, it raises no events
    /// here.
    private var roots: [FileStatus.Identity?] = []

    /// Why not everything is watched; nil if it is.
    public private(set) var shortage: SystemError?
    /// The tenants with directories that are not watched for lack of room.
    public private(set) var leftOut: Set<TenantID> = []

    /// What a watch takes in the kernel, with the inode that it keeps there.
    private static let directoryBytes = 1_536

    /// How many directories a process with this much memory may watch, which is an eighth of it.
    public static func directoriesMax(memoryBytes: Int) -> Int { max(4_096, memoryBytes / 8 / directoryBytes) }

    /// - Parameters:
    ///   - linkTargets: folders that links may lead into, in addition to the host's own and `config/apps`.
    ///   - limits: quotas of hosts and folders.
    ///   - directoriesMax: how many directories may be watched, if fewer than the system allows. Tenants share them.
    ///   - tenant: whose a host is.
    public init(
        configPath: String, publicPath: String, publishedPath: String? = nil, managedPath: String? = nil,
        linkTargets: LinkTargets = .none, limits: Limits = Limits(), directoriesMax: Int = .max,
        tenant: @escaping (String) -> TenantID = { TenantID(of: $0, folder: nil) }
    ) throws(SystemError) {
        folders = HostFolders(
            configPath: Directory.absolute(configPath), publicPath: Directory.absolute(publicPath),
            publishedPath: publishedPath.map(Directory.absolute), linkTargets: linkTargets, limits: limits)
        self.managedPath = managedPath.map(Directory.absolute)
        tenantOfHost = tenant
        self.directoriesMax = directoriesMax
        room = FairShare(room: directoriesMax, losing: .newest)
        watch = try Watch()
    }

    /// Readable when there are events.
    public var descriptor: Int32 { watch.descriptor.number }

    var count: Int { watched.count }

    /// Watches everything that exists now. Earlier changes raise no event, so read everything afterwards.
    public func start() {
        (shortage, leftOut) = (nil, [])
        // The system may allow more by now.
        room.room = directoriesMax
        roots = rootIdentities()
        watchEverything()
    }

    private func watchEverything() {
        for place in [WatchedPlace.config, .apps(""), .published, .retired, .hosts, .pageFolders, .managed] {
            watchFolders(of: place)
        }
    }

    /// Whether `config`, `public` or a folder directly in `config` is another directory than before, because a link on its path
    /// has changed. Called every second.
    public func hasMoved() -> Bool { roots != rootIdentities() }

    /// What may have changed since the last call. New directories are watched from now on.
    public func takeChanges() -> TreeChanges {
        var changes = TreeChanges()
        var places: Set<WatchedPlace> = []
        let events = watch.takeEvents()
        for event in events {
            for place in watched[event.directory] { note(event, in: place, &changes, &places) }
            for place in behindLinks[event.directory] {
                changes.merge(place.allChanges)
                places.insert(place)
            }
            if event.isEnd {
                forget(event.directory)
            }
        }
        // The lost events may be of new directories, which the kernel does not report again.
        if events.contains(where: \.isOverflow) {
            watchEverything()
            changes.everything = true
            return changes
        }
        // Each place is walked once, however many events it has.
        if places.contains(.linkedApps) { places.insert(.apps("")) }
        if places.contains(.apps("")) {
            places = places.filter { place in
                guard case .apps(let folder) = place else { return place != .linkedApps }
                return folder.isEmpty
            }
        }
        // Folders that share a quota are walked together.
        let tops = places.map { place -> WatchedPlace in
            if case .apps(let folder) = place, let top = TenantID.folder(ofApp: folder) { return .apps(top) }
            return place
        }
        for place in Set(tops) { watchFolders(of: place) }
        return changes
    }

    private func note(
        _ event: Watch.Event, in place: WatchedPlace, _ changes: inout TreeChanges, _ places: inout Set<WatchedPlace>
    ) {
        if event.isMoveOfDirectory {
            if place.isOfMany { places.insert(place) } else { noteMove(of: event.directory, place) }
        }
        if event.name.isEmpty { return }
        if event.name.hasPrefix("..") {
            changes.merge(place.allChanges)
            places.insert(place)
            return
        }
        if event.name.hasPrefix(".") { return }
        guard let folder = path(of: place) ?? paths[event.directory] else { return }
        if case .wellKnown(let host) = place, event.name == Challenges.folder, folder == folders.path(.wellKnown(host))
        {
            return
        }
        let path = "\(folder)/\(event.name)"
        let isLink = File.linkTarget(path) != nil
        if event.isCreation, !event.isFolder, !isLink, File.isEmptyRegular(path) {
            // It will have another event when it gets content.
            return
        }
        changes.merge(place.changes(of: event.name))
        guard var below = place.place(of: event.name) else { return }
        // Which names links lead to is only known from the whole tree, and a removed name may have been a link.
        if case .apps = place, isLink || event.isRemoval && !behindLinks.directories(of: .linkedApps).isEmpty {
            below = .linkedApps
        } else if !event.isArrival || !event.isFolder && !isLink {
            return
        }
        changes.merge(below.allChanges)
        places.insert(below)
    }

    /// A directory that has been moved inside `config/apps` has already been added at its new place.
    private func noteMove(of directory: Int32, _ place: WatchedPlace) {
        guard let path = path(of: place), Directory.identity(path) == nil else { return }
        watched.remove(place, directory)
        dropUnused(directory)
    }

    private func dropUnused(_ directory: Int32) {
        if !watched.contains(directory) { paths[directory] = nil }
        if !watched.contains(directory), !behindLinks.contains(directory) { stopWatching(directory) }
    }

    private func stopWatching(_ directory: Int32) {
        forget(directory)
        watch.remove(directory)
    }

    private func forget(_ directory: Int32) {
        watched.remove(directory)
        behindLinks.remove(directory)
        paths[directory] = nil
        if let place = placesInRoom.removeValue(forKey: directory) { room.remove(at: place) }
    }

    /// Watches the directories of a place, and stops watching those that no longer belong to it.
    private func watchFolders(of place: WatchedPlace) {
        switch place {
        case .config: add(folders.configPath, for: place)
        case .apps(let folder): watchApps(folder)
        case .linkedApps: watchApps("")
        case .published: if let path = path(of: place) { add(path, for: place) }
        case .retired:
            let roots = folders.roots("retired")
            for folder in scan(roots[0])?.folders ?? [] { add(WatchedPlace.join(roots[0], folder), for: place) }
            if roots.count > 1 { add(roots[1], for: place) }
        case .hosts:
            add(folders.hostsPath, for: place)
            for name in names(in: folders.hostsPath) { watchFolders(of: .host(name)) }
        case .host(let name):
            let path = "\(folders.hostsPath)/\(name)"
            add(path, for: place)
            if Directory.exists("\(path)/well-known") { watchFolders(of: .wellKnown(name)) }
        case .wellKnown(let name): watchTree(place, .wellKnown(name))
        case .pageFolders:
            add(folders.publicPath, for: place)
            for name in names(in: folders.publicPath) { watchFolders(of: .pages(name)) }
        case .pages(let name): watchTree(place, .pages(name))
        case .managed: if let managedPath { add(managedPath, for: place) }
        }
    }

    private func names(in path: String) -> [String] {
        nilNotingShortage { () throws(SystemError) in try HostFolders.subfolders(of: path) } ?? []
    }

    private func watchTree(_ place: WatchedPlace, _ tree: HostTree) {
        let previous = directories(of: place)
        var present: Set<Int32> = []
        let path = folders.path(tree)
        if let root = nilNotingShortage({ () throws(SystemError) in try folders.open(tree) }) ?? nil {
            let scan = FolderScan(root, HostQuota(folders.limits).bounds)
            shortage = shortage ?? scan.shortage
            for folder in scan.folders { present.formUnion(add(WatchedPlace.join(path, folder), for: place)) }
            for link in scan.links { present.formUnion(addFolders(behind: "\(path)/\(link)", for: place)) }
        }
        // These two may be links as well.
        var ways = [folders.boundaryPath(tree)]
        if ways != [path] { ways.append(path) }
        for way in ways where File.linkTarget(way) != nil { present.formUnion(addFolders(behind: way, for: place)) }
        drop(previous.subtracting(present), for: place)
    }

    private func directories(of place: WatchedPlace) -> Set<Int32> {
        watched.directories(of: place).union(behindLinks.directories(of: place))
    }

    private func drop(_ directories: Set<Int32>, for place: WatchedPlace) {
        for directory in directories {
            watched.remove(place, directory)
            behindLinks.remove(place, directory)
            dropUnused(directory)
        }
    }

    /// Walks through `config/apps` or `config/retired`, or a part of it; nil if there is no such folder.
    private func scan(_ path: String, from start: String = "") -> FolderScan? {
        let root = nilNotingShortage { () throws(SystemError) in try Folder(path, links: folders.linkTargets) }
        guard let root else { return nil }
        let scan = FolderScan(TenantFolder(root), from: start, .apps(folders.limits))
        shortage = shortage ?? scan.shortage
        return scan
    }

    private func watchApps(_ folder: String) {
        let path = "\(folders.configPath)/apps"
        guard let scan = scan(path, from: folder) else { return }
        let links = Set(scan.links)
        var linked: Set<Int32> = []
        for folder in scan.folders {
            let path = WatchedPlace.join(path, folder)
            // The folder, or one that contains it, is a link.
            if !links.isEmpty, AppTree.isPath("\(folder)/", in: links.contains) {
                linked.formUnion(add(path, for: .linkedApps))
            } else {
                addApps(path, .apps(folder))
            }
        }
        for link in links { linked.formUnion(addFolders(behind: "\(path)/\(link)", for: .linkedApps)) }
        // Only a walk through the whole tree shows what is no longer linked.
        if folder.isEmpty { drop(directories(of: .linkedApps).subtracting(linked), for: .linkedApps) }
    }

    private func addApps(_ path: String, _ place: WatchedPlace) {
        guard let directory = add(path, for: place).first else { return }
        // A directory keeps its watch number when it is moved, but has one place only.
        for other in watched[directory] where other != place {
            guard case .apps = other, let known = self.path(of: other) else { continue }
            if Directory.identity(known) != Directory.identity(path) { watched.remove(other, directory) }
        }
    }

    @discardableResult
    private func add(_ path: String, for place: WatchedPlace) -> Set<Int32> {
        let added = nilNotingShortage(refusals: true) { () throws(SystemError) in try startWatching(path, for: place) }
        guard let number = added else { return [] }
        watched.insert(place, number)
        if place.isOfMany { paths[number] = path }
        return [number]
    }

    @discardableResult
    private func addFolders(behind link: String, for place: WatchedPlace) -> Set<Int32> {
        var numbers: Set<Int32> = []
        let roots = [folders.configPath, folders.publicPath] + folders.linkTargets.paths
        for folder in File.foldersBehind(link: link, inside: roots) {
            let added = nilNotingShortage { () throws(SystemError) in try startWatching(folder, for: place) }
            guard let number = added else { continue }
            behindLinks.insert(place, number)
            numbers.insert(number)
        }
        return numbers
    }

    /// Watches a directory, if its tenant has no more than its share.
    private func startWatching(_ path: String, for place: WatchedPlace) throws(SystemError) -> Int32 {
        let tenant = tenant(of: place)
        var placeInRoom: Int?
        var number: Int32 = 0
        do throws(SystemError) { number = try watch.add(path) } catch {
            guard error.number == Watch.full.number else { throw error }
            // The system allows no more than there are, so another one has to go first.
            room.room = max(1, room.size)
            placeInRoom = takeRoom(of: tenant)
        }
        if number == 0 {
            guard let placeInRoom else { throw Watch.full }
            do throws(SystemError) { number = try watch.add(path) } catch {
                room.remove(at: placeInRoom)
                throw error
            }
        }
        if placesInRoom[number] != nil { return number }
        guard let taken = placeInRoom ?? takeRoom(of: tenant) else {
            watch.remove(number)
            throw Watch.full
        }
        room[taken] = number
        placesInRoom[number] = taken
        return number
    }

    /// Finds room for one more directory of a tenant: another tenant with more directories loses its newest. Nil if there is none.
    private func takeRoom(of tenant: TenantID) -> Int? {
        let (place, lost) = room.insert(0, of: tenant)
        for directory in lost {
            leftOut.formUnion(watched[directory].map { self.tenant(of: $0) })
            shortage = shortage ?? Watch.full
            placesInRoom[directory] = nil
            stopWatching(directory)
        }
        if place == nil {
            leftOut.insert(tenant)
            shortage = shortage ?? Watch.full
        }
        return place
    }

    private func tenant(of place: WatchedPlace) -> TenantID {
        switch place {
        case .config, .linkedApps, .published, .retired, .hosts, .pageFolders, .managed: .operator
        case .apps(let folder): folder.isEmpty ? .operator : TenantID(folder: TenantID.folder(ofApp: folder) ?? folder)
        case .host(let name), .wellKnown(let name), .pages(let name):
            name == "_default" ? .operator : HostFolders.host(of: name).map(tenantOfHost) ?? .unserved
        }
    }

    /// The result of a call; nil if it failed. Notes a shortage of descriptors or memory.
    private func nilNotingShortage<Result: ~Copyable>(
        refusals: Bool = false, _ call: () throws(SystemError) -> Result
    ) -> Result? {
        do throws(SystemError) {
            return try call()
        } catch {
            if error.isShortage || refusals && !error.isMissing { shortage = shortage ?? error }
            return nil
        }
    }

    /// The path of a place that is a single directory.
    private func path(of place: WatchedPlace) -> String? {
        switch place {
        case .config: folders.configPath
        case .apps(let folder): WatchedPlace.join("\(folders.configPath)/apps", folder)
        case .hosts: folders.hostsPath
        case .host(let name): "\(folders.hostsPath)/\(name)"
        case .pageFolders: folders.publicPath
        case .published: folders.publishedPath.map { "\($0)/apps" }
        case .managed: managedPath
        case .linkedApps, .retired, .wellKnown, .pages: nil
        }
    }

    private func rootIdentities() -> [FileStatus.Identity?] {
        let paths = [folders.configPath, folders.hostsPath, folders.publicPath] + [managedPath].compactMap(\.self)
        return (paths + folders.roots("apps") + folders.roots("retired")).map { Directory.identity($0) }
    }
}
