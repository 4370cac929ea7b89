// The answers to challenges by which a certificate authority checks that this server controls a host (ACME, RFC 8555 §8.3). A
// client such as certbot creates a file, the authority fetches it, the client removes it. So these files are not part of the
// catalogue but read at each request.

import Association
public import Posix
public import Settings
import TLS

/// Looks for answers in this order: the host's own folder, the webroot, the thumbprint of the settings, that of the manager.
public struct Challenges: Sendable {
    private let folders: HostFolders
    private let settings: ACMESettings
    /// The file in which the manager writes the thumbprint of its account's key.
    private let thumbprintPath: String?
    /// The configured name that serves a host: the host itself or a wildcard.
    private let configuredName: @Sendable (String) -> String?

    /// The folder in a host's `well-known`. It is otherwise neither served nor watched.
    static let folder = "acme-challenge"
    /// An answer has 87 bytes.
    private static let bytesMax = 4_096

    public init(
        configPath: String, linkTargets: LinkTargets, settings: ACMESettings, thumbprintPath: String? = nil,
        configuredName: @escaping @Sendable (String) -> String?
    ) {
        folders = HostFolders(configPath: configPath, publicPath: "", linkTargets: linkTargets)
        (self.settings, self.thumbprintPath, self.configuredName) = (settings, thumbprintPath, configuredName)
    }

    /// The answer to a token; nil if there is none. Reads the disk. The token contains neither dots nor slashes.
    public func answer(_ host: String, _ token: String) -> [UInt8]? {
        if let answer = own(host, token) ?? shared(token) { return answer }
        return (settings.thumbprint ?? managedThumbprint).map { Array("\(token).\($0)".utf8) }
    }

    /// Read for each challenge, so that a new key needs no signal.
    private var managedThumbprint: String? {
        guard let thumbprintPath, let bytes = try? File.read(thumbprintPath, bytesMax: 128).bytes else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingSpaces()
        return ACMESettings.isThumbprint(text) ? text : nil
    }

    /// A tenant's file answers for the tenant's hosts. A wildcard's file answers only for hosts that nothing else serves;
    /// otherwise its tenant could get a certificate for another tenant's host.
    private func own(_ host: String, _ token: String) -> [UInt8]? {
        var names = [host]
        if let name = configuredName(host), name != host { names.append(name) }
        for name in names {
            let folder = HostFolders.name(of: name)
            // The host comes from a client, so it could be the name of any folder.
            guard HostFolders.host(of: folder) == name else { continue }
            guard let folder = (try? folders.open(.wellKnown(folder))) ?? nil else { continue }
            if let answer = read("\(Challenges.folder)/\(token)", in: folder) { return answer }
        }
        return nil
    }

    /// The operator's folder answers for every host name, even if it is not served yet: only the owner of the ACME account can
    /// use the answer.
    private func shared(_ token: String) -> [UInt8]? {
        guard let webroot = settings.webroot, let folder = try? Folder(webroot) else { return nil }
        let root = TenantFolder(folder)
        if let answer = read(".well-known/\(Challenges.folder)/\(token)", in: root) { return answer }
        // Some clients write into the folder itself. It may contain other files, which are not answers.
        guard let answer = read(token, in: root), answer.starts(with: Array("\(token).".utf8)) else { return nil }
        return answer
    }

    private func read(_ path: String, in folder: borrowing TenantFolder) -> [UInt8]? {
        guard let file = (try? folder.read(path, bytesMax: Challenges.bytesMax)) ?? nil else { return nil }
        return KeyGuard.refusal(of: file.bytes) == nil ? file.bytes : nil
    }
}
