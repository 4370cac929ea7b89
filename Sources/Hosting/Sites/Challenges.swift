// Answers to challenges by which a certificate authority convinces itself that this server has a host (ACME, RFC 8555 §8.3). A
// client such as certbot writes a file, the authority asks for it, the client removes it. So these files are never read ahead:
// the disk is asked when the authority asks.

import Association
public import Posix

/// `acme` of `server.json`.
public struct ACMESettings: Hashable, Sendable {
    /// Where an ACME client leaves the answers for all hosts; nil for nowhere.
    public var webroot: String?
    /// The thumbprint of an account's key, from which the answer to every challenge follows; nil where none is known.
    public var thumbprint: String?

    public init() {}

    /// RFC 7638: a SHA-256 in base64url.
    static func isThumbprint(_ text: String) -> Bool {
        text.utf8.count == 43
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// Where answers are looked for, in this order: the host's own folder, the webroot, the thumbprint.
public struct Challenges: Sendable {
    private let folders: HostFolders
    private let settings: ACMESettings
    /// The configured name of a host that is served: its own, or that of a wildcard.
    private let configuredName: @Sendable (String) -> String?

    /// The folder in a host's `well-known`. It is no part of what is served otherwise.
    static let folder = "acme-challenge"
    /// An answer has 87 characters.
    private static let bytesMax = 4_096

    public init(
        configPath: String, linkTargets: LinkTargets, settings: ACMESettings,
        configuredName: @escaping @Sendable (String) -> String?
    ) {
        folders = HostFolders(configPath: configPath, publicPath: "", linkTargets: linkTargets)
        self.settings = settings
        self.configuredName = configuredName
    }

    /// The answer to a token; nil where there is none. Waits for the disk. The token has neither points nor slashes.
    public func answer(_ host: String, _ token: String) -> [UInt8]? {
        if let answer = own(host, token) ?? shared(token) { return answer }
        return settings.thumbprint.map { Array("\(token).\($0)".utf8) }
    }

    /// A tenant's file answers for the tenant's hosts. That of a wildcard answers for a name only where no other tenant serves
    /// it, or the tenant of the wildcard could get a certificate for the other.
    private func own(_ host: String, _ token: String) -> [UInt8]? {
        var names = [host]
        if let name = configuredName(host), name != host { names.append(name) }
        for name in names {
            let folder = HostFolders.name(of: name)
            // A name that a client writes may be that of any folder.
            guard HostFolders.host(of: folder) == name else { continue }
            guard let folder = (try? folders.open(.wellKnown(folder))) ?? nil else { continue }
            if let answer = read("\(Challenges.folder)/\(token)", in: folder) { return answer }
        }
        return nil
    }

    /// The operator's folder answers for every name that is asked for here, also for hosts that are still to be served: only who
    /// has the account's key gets a certificate from it.
    private func shared(_ token: String) -> [UInt8]? {
        guard let webroot = settings.webroot, let folder = try? Folder(webroot) else { return nil }
        let root = FencedFolder(folder)
        if let answer = read(".well-known/\(Challenges.folder)/\(token)", in: root) { return answer }
        // A client that is told the folder itself. Other files may be in it, and are no answers.
        guard let answer = read(token, in: root), answer.starts(with: Array("\(token).".utf8)) else { return nil }
        return answer
    }

    private func read(_ path: String, in folder: borrowing FencedFolder) -> [UInt8]? {
        guard let file = (try? folder.read(path, bytesMax: Challenges.bytesMax)) ?? nil else { return nil }
        return KeyGuard.refusal(of: file.bytes) == nil ? file.bytes : nil
    }
}
