// What may have changed below `config/` and `public/`, as the watch reports it to the next round. It may name too much but never
// too little; the scan finds out what has really changed.

/// Places to read again.
public struct TreeChanges: Hashable, Sendable {
    /// Everything.
    public var everything = false
    /// Whether all open findings are checked and reported again, because an operator asked.
    public var repeatsFindings = false
    /// App files by path below `config/apps`: read again, even if their marks are equal.
    public var appFiles: Set<String> = []
    /// Folders below `config/apps`, empty for `apps` itself: listed again; files are read if their marks have changed.
    public var appFolders: Set<String> = []
    /// Held or refused app files that an earlier change may have released: some are read in each round.
    public var waiting: Set<String> = []
    /// Whether something in `config/retired` has changed.
    public var retired = false
    /// Folders of `config/hosts`, by name.
    public var hostFolders: Set<String> = []
    /// Folders of `config/hosts` in which something other than `well-known` has changed. Certificates are checked elsewhere, so
    /// rounds ignore this.
    public var certificateFolders: Set<String> = []
    /// Folders of `public`, by name.
    public var pageFolders: Set<String> = []
    /// Whether a certificate that signs documents has changed.
    public var signatures = false
    /// Hosts to render again although nothing about them has changed.
    public var hosts: Set<String> = []
    /// Whether the state must be saved again because that failed.
    public var savesState = false

    public init(
        everything: Bool = false, repeatsFindings: Bool = false, retired: Bool = false, signatures: Bool = false,
        savesState: Bool = false
    ) {
        (self.everything, self.repeatsFindings, self.retired) = (everything, repeatsFindings, retired)
        (self.signatures, self.savesState) = (signatures, savesState)
    }

    public static let all = TreeChanges(everything: true)
    /// Everything, for a start or an operator who wants all findings again.
    public static let allAgain = TreeChanges(everything: true, repeatsFindings: true)

    public var isEmpty: Bool { self == TreeChanges() }

    /// Everything that can belong to a tenant, with the folder that it counts for, named as in `RoundCosts`.
    private static var tenantsChanges: [(path: WritableKeyPath<TreeChanges, Set<String>>, folder: (String) -> String?)]
    {
        [
            (\.hostFolders, { $0 }), (\.pageFolders, { $0 }), (\.hosts, HostFolders.name),
            (\.appFiles, RoundCosts.folder), (\.waiting, RoundCosts.folder),
            (\.appFolders, { RoundCosts.folder(ofApp: "\($0)/") }),
        ]
    }

    /// The tenants' folders concerned.
    var folders: Set<String> {
        Set(TreeChanges.tenantsChanges.flatMap { kind in self[keyPath: kind.path].compactMap(kind.folder) })
    }

    /// Removes and returns everything about some tenants' folders.
    mutating func take(_ folders: Set<String>) -> TreeChanges {
        var taken = TreeChanges()
        for kind in TreeChanges.tenantsChanges {
            let names = self[keyPath: kind.path].filter { kind.folder($0).map(folders.contains) == true }
            taken[keyPath: kind.path] = names
            self[keyPath: kind.path].subtract(names)
        }
        return taken
    }

    public mutating func merge(_ other: TreeChanges) {
        let flags: [WritableKeyPath<TreeChanges, Bool>] = [
            \.everything, \.repeatsFindings, \.retired, \.signatures, \.savesState,
        ]
        for flag in flags where other[keyPath: flag] { self[keyPath: flag] = true }
        for kind in TreeChanges.tenantsChanges { self[keyPath: kind.path].formUnion(other[keyPath: kind.path]) }
        certificateFolders.formUnion(other.certificateFolders)
    }
}
