// What may have changed below `config/` and `public/`: what somebody who watches says to somebody who looks. It may name too
// much, never too little; what has really changed shows when it is looked at.

/// Places to look at again.
public struct TreeChanges: Hashable, Sendable {
    /// Everything there is.
    public var everything = false
    /// What was wrong is to be looked at and told again, because somebody asks.
    public var again = false
    /// With everything: a server waits for this round, so what may be found later without a wrong answer is left to the
    /// next one, and that is said in the report.
    public var isStart = false
    /// Which folders there are in `config/hosts`.
    public var hostList = false
    /// App files by their paths below `config/apps`: read again, whatever their marks say.
    public var appFiles: Set<String> = []
    /// Folders below `config/apps`, an empty path being that one: listed again, and files read whose marks differ.
    public var appFolders: Set<String> = []
    /// App files that are held back and that an earlier change may have set free: read again, some in each round.
    public var waiting: Set<String> = []
    /// Something in `config/retired`.
    public var retired = false
    /// Folders of `config/hosts` by name.
    public var hostFolders: Set<String> = []
    /// Those of them in which something besides `well-known` has changed. No round needs to know: certificates are looked at
    /// beside the rounds.
    public var certificateFolders: Set<String> = []
    /// Folders of `public` by name.
    public var pageFolders: Set<String> = []
    /// Certificates that sign documents.
    public var signatures = false
    /// Hosts to be made again, although nothing about them has changed.
    public var hosts: Set<String> = []
    /// What is known and could not be written down.
    public var records = false

    public init() {}

    /// Everything there is.
    public static var all: TreeChanges {
        var changes = TreeChanges()
        changes.everything = true
        return changes
    }

    /// Everything there is, for somebody who asks.
    public static var allAgain: TreeChanges {
        var changes = all
        changes.again = true
        return changes
    }

    /// Everything that has to be there before the first answer.
    public static var start: TreeChanges {
        var changes = allAgain
        changes.isStart = true
        return changes
    }

    public var isEmpty: Bool { self == TreeChanges() }

    /// What may be a tenant's, with the folder that it costs a round, as `RoundCosts` names it.
    private static var tenantsChanges: [(path: WritableKeyPath<TreeChanges, Set<String>>, folder: (String) -> String?)]
    {
        [
            (\.hostFolders, { $0 }), (\.pageFolders, { $0 }), (\.hosts, HostFolders.name),
            (\.appFiles, RoundCosts.folder), (\.waiting, RoundCosts.folder),
            (\.appFolders, { RoundCosts.folder(ofApp: "\($0)/") }),
        ]
    }

    /// The folders of tenants that it is about.
    var folders: Set<String> {
        Set(TreeChanges.tenantsChanges.flatMap { kind in self[keyPath: kind.path].compactMap(kind.folder) })
    }

    /// Takes out what is about some folders of tenants.
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
        everything = everything || other.everything
        again = again || other.again
        // A start is a round of its own; anything with it makes it a common one.
        isStart = false
        hostList = hostList || other.hostList
        appFiles.formUnion(other.appFiles)
        appFolders.formUnion(other.appFolders)
        waiting.formUnion(other.waiting)
        retired = retired || other.retired
        hostFolders.formUnion(other.hostFolders)
        certificateFolders.formUnion(other.certificateFolders)
        pageFolders.formUnion(other.pageFolders)
        signatures = signatures || other.signatures
        hosts.formUnion(other.hosts)
        records = records || other.records
    }
}
