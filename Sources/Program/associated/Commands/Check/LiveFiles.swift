// Association files of live hosts, for commands that accept a host instead of a file; and hosts as users type them, in any script.

import Association
import Client
import Supervision
import TLS
import Verifier

extension Command.Option {
    static let resolve = Command.Option(
        name: "--resolve", value: "HOST:PORT:ADDR[:PORT]",
        help: "connect to ADDR, and to the port after it if there is one, for HOST:PORT instead of using DNS; HOST may "
            + "be * (repeatable)",
        isRepeatable: true)
    static let authority = Command.Option(
        name: "--ca", value: "FILE", help: "trust the CA certificates in FILE instead of the system's")
}

enum LiveFiles {
    /// The fetcher, with the options of a command.
    static func fetcher(_ arguments: ParsedArguments) throws(Refusal) -> PublishedFiles {
        PublishedFiles(try context(arguments), overrides: try overrides(arguments), proxy: try proxy())
    }

    /// The proxy of this network, in the variables that curl and others use too.
    private static func proxy() throws(Refusal) -> ProxySettings? {
        guard let address = Environment.value("https_proxy") ?? Environment.value("HTTPS_PROXY") else { return nil }
        let exceptions = Environment.value("no_proxy") ?? Environment.value("NO_PROXY") ?? ""
        if let proxy = ProxySettings(address, except: exceptions) { return proxy }
        throw .failure("https_proxy is not the URL of an HTTP proxy; write http://proxy.example.com:3128, or unset it")
    }

    /// The TLS context, with the CA certificates to trust.
    static func context(_ arguments: ParsedArguments) throws(Refusal) -> ClientContext {
        do throws(TLSError) {
            return try ClientContext(authorityFile: arguments["--ca"], acceptsWeakServers: true)
        } catch {
            throw .failure(error.description)
        }
    }

    /// The addresses of `--resolve`.
    static func overrides(_ arguments: ParsedArguments) throws(Refusal) -> [AddressOverride] {
        var overrides: [AddressOverride] = []
        for text in arguments.all("--resolve") ?? [] {
            guard let override = AddressOverride(typed: text) else {
                let example = "shop.example.com:443:192.0.2.1"
                throw .usage("--resolve \(text) is not HOST:PORT:ADDR, such as \(example)")
            }
            overrides.append(override)
        }
        return overrides
    }

    /// The origin of a URL, for messages.
    static func place(of url: LinkURL) -> String {
        "\(url.scheme)://\(url.host)\(url.port.map { ":\($0)" } ?? "")"
    }

    /// The host that serves the files of a URL. Nil if the URL has no valid host name, or names a port for plain HTTP.
    static func host(of url: LinkURL) -> CheckedHost? {
        if url.scheme == "http" { return url.port ?? 80 == 80 ? CheckedHost(url.host) : nil }
        return CheckedHost(url.port.map { "\(url.host):\($0)" } ?? url.host)
    }

    /// A file of a host; nil if the host answers that it does not exist.
    /// - Parameter isExpected: whether there should be one; if not, any status but 200 says that there is none.
    static func fetch(
        _ path: String, of host: CheckedHost, _ live: PublishedFiles, isExpected: Bool = true
    ) throws(Refusal) -> [UInt8]? {
        switch live.fetch(path, of: host) {
        case .success(let bytes): return bytes
        case .failure(let error):
            let text = "\(error)"
            if ["it answers 404", "it answers 410"].contains(text) || !isExpected && text.hasPrefix("it answers ") {
                return nil
            }
            throw .failure("cannot fetch https://\(host)\(path): \(error)")
        }
    }
}

extension HostPattern {
    /// The host in what a user types: a name, a name with a port, or a URL. Other text stays unchanged; its reader rejects it.
    static func typed(_ text: String, keepsPort: Bool = false) -> String {
        alone(inASCII(text), keepsPort: keepsPort)
    }

    /// The same, without the conversion to ASCII.
    static func alone(_ text: String, keepsPort: Bool = false) -> String {
        var host = text[...]
        for scheme in ["https://", "http://"] where host.hasPrefix(scheme) {
            host = host.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
        }
        if !keepsPort, let colon = host.lastIndex(of: ":"), UInt16(host[colon...].dropFirst()) != nil {
            host = host[..<colon]
        }
        return String(host)
    }
}

extension CheckedHost {
    init?(typed text: String) { self.init(HostPattern.typed(text, keepsPort: true)) }
}

extension WebLocation {
    init?(typed text: String) { self.init(HostPattern.inASCII(text)) }
}

extension AddressOverride {
    init?(typed text: String) { self.init(HostPattern.inASCII(text)) }
}
