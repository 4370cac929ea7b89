// Hash functions of one's own. Tenants choose names that collide under every hash without a secret.

extension HouseRule {
    static let hashes = HouseRule(name: "no hash function of one's own") { file in
        guard !file.isTest, hashFiles[file.path] == nil else { return [] }
        return file.text.code.enumerated().compactMap { number, line in
            guard hashMarks.contains(where: line.contains) else { return nil }
            return Violation(
                path: file.path, line: number + 1,
                message: "a hash without a secret, under which names can be chosen that collide; "
                    + "use KeyHash in the catalogue and Hasher elsewhere")
        }
    }

    /// What multiplicative hashes are made of: the folded product, the golden ratio, the prime of FNV-1a.
    private static let hashMarks = ["multipliedFullWidth", "9E37_79B", "_01B3"]

    /// The hash of the catalogue, what has a secret of its own, and checksums, which place nothing in a table.
    private static let hashFiles = [
        "Sources/Server/Catalogue/Image/KeyHash.swift": "the hash",
        "Sources/Server/Catalogue/Layers/StateFile.swift": "a checksum of state files",
        "Sources/Program/Administration/Ledger/LedgerFile.swift": "a checksum of the lines of a file",
        "Sources/Server/Hosting/Tree/HostFolders.swift":
            "a checksum of a folder's names and times; a collision hides a tenant's own change",
        "Sources/Server/Engine/Listeners/AddressCounts.swift": "a table with a secret of its own and a fixed size",
    ]
}
