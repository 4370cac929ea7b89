// How ACME clients arrange their files. Each layout is a few patterns of paths, and a folder is recognized by what is in it, so
// no setting says which client has made it.

import TLS

/// The files of one ACME client, as patterns of paths below its folder. `*` stands for a name or a part of one, and `**` for up to
/// six folders.
struct ClientLayout: Sendable {
    /// Its name, for messages; nil for folders that any program may have made.
    let client: String?
    let accounts: String?
    /// The folders between those that name the authority and the file of the key, and that file; nil if one folder names it.
    let accountDepth: Int?
    /// Each has the host's certificate first, and then its chain.
    let certificates: String
    private let key: KeyPlace

    /// Where the key of a certificate is.
    private enum KeyPlace {
        /// A file in the same folder.
        case beside(String)
        /// The same name with this ending.
        case ending(String)
        /// A file in the same folder that has the folder's name, without an ending of that name.
        case named(String, without: String)
    }

    static let all = [
        ClientLayout(
            client: "certbot", accounts: "accounts/**/private_key.json", accountDepth: 2,
            certificates: "live/*/fullchain.pem", key: .beside("privkey.pem")),
        ClientLayout(
            // Before version 5, the key is in a folder `keys`.
            client: "lego", accounts: "accounts/**/*.key", certificates: "certificates/*.crt", key: .ending(".key")),
        ClientLayout(
            client: "Caddy", accounts: "acme/*/users/*/*.key", certificates: "certificates/*/*/*.crt",
            key: .ending(".key")),
        ClientLayout(
            client: "dehydrated", accounts: "accounts/*/account_key.pem", certificates: "certs/*/fullchain.pem",
            key: .beside("privkey.pem")),
        ClientLayout(
            client: "acme.sh", accounts: "ca/**/account.key", accountDepth: 1, certificates: "*/fullchain.cer",
            key: .named(".key", without: "_ecc")),
        ClientLayout(client: nil, certificates: "*/fullchain.pem", key: .beside("privkey.pem")),
    ]

    private init(
        client: String?, accounts: String? = nil, accountDepth: Int? = nil, certificates: String, key: KeyPlace
    ) {
        (self.client, self.accounts, self.accountDepth) = (client, accounts, accountDepth)
        (self.certificates, self.key) = (certificates, key)
    }

    /// The file of a certificate's key; nil if the file of the certificate is none of a host.
    func keyFile(of path: String) -> String? {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        switch key {
        case .beside(let name): return "\(folder)/\(name)"
        case .ending(let ending):
            guard let dot = path.lastIndex(of: ".") else { return nil }
            let stem = path[..<dot]
            // lego's copy of the chain alone.
            return stem.hasSuffix(".issuer") ? nil : "\(stem)\(ending)"
        case .named(let ending, let suffix):
            let name = folder.split(separator: "/").last ?? ""
            return "\(folder)/\(name.hasSuffix(suffix) ? name.dropLast(suffix.count) : name)\(ending)"
        }
    }

    /// The authority of an account, such as `ca.example/directory`, in the words of the client's folders.
    func authority(of path: String) -> String {
        let folders = path.split(separator: "/").dropFirst()
        let name = accountDepth.map { folders.dropLast($0).joined(separator: "/") } ?? String(folders.first ?? "")
        // dehydrated encodes the URL, with a line feed at its end.
        let url = String(decoding: Base64URL.bytes(name) ?? [], as: UTF8.self)
        guard url.hasPrefix("https://") else { return name }
        return String(url.dropFirst("https://".count).prefix { !$0.isWhitespace })
    }
}
