// The outgoing proxy of a network, in the notation of the variables `https_proxy` and `no_proxy`. This type does not read the
// environment; the caller passes the values.

import TLS

/// A proxy for connections over TLS, and the hosts that are reached without it.
public struct ProxySettings: Hashable, Sendable {
    public let proxy: CheckedHost
    private let authorization: String?
    private let exceptions: [Substring]

    /// - Parameters:
    ///   - address: such as `http://proxy.example.com:3128` or `http://name:password@10.0.0.1:3128`; otherwise the result is nil.
    ///   - exceptions: host names, separated by commas. Each includes the hosts below it; `*` is every host.
    public init?(_ address: String, except exceptions: String = "") {
        guard address.hasPrefix("http://") else { return nil }
        let authority = address.dropFirst(7).prefix { $0 != "/" }
        let (user, place): (Substring?, Substring) =
            authority.lastIndex(of: "@").map { (authority[..<$0], authority[authority.index(after: $0)...]) }
            ?? (nil, authority)
        guard let proxy = CheckedHost(place.contains(":") ? String(place) : "\(place):80") else { return nil }
        self.proxy = proxy
        if let user {
            guard let bytes = ProxySettings.plain(user) else { return nil }
            authorization = "Basic \(Digest.base64(bytes))"
        } else {
            authorization = nil
        }
        self.exceptions = exceptions.lowercased().split(separator: ",").map { entry in
            let name = entry.trimmed(of: [" ", "\t"])
            return name.hasPrefix("*.") ? name.dropFirst(2) : name.hasPrefix(".") ? name.dropFirst() : name
        }
    }

    /// The tunnel to request from the proxy; nil if the host is reached directly.
    public func tunnel(to host: CheckedHost) -> Tunnel? {
        let isExcepted = exceptions.contains { entry in
            entry == "*" || entry == host.name || host.name.hasSuffix(".\(entry)") && !entry.isEmpty
                || entry == "\(host.name):\(host.port)"
        }
        return isExcepted ? nil : Tunnel(to: host, authorization: authorization)
    }

    /// Decodes the percent escapes of RFC 3986 §2.1, which passwords need in a URL.
    private static func plain(_ text: Substring) -> [UInt8]? {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}
