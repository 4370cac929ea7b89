// The networks of the trusted proxies, as the operator has written them. Forwarding headers of all other clients are ignored.

/// Networks, and perhaps the Unix-domain sockets of this machine.
public struct TrustedNetworks: Sendable {
    private var networks: [Network] = []
    /// Whether clients of a Unix-domain socket are trusted.
    public private(set) var includesLocal = false

    private struct Network {
        var high: UInt64
        var low: UInt64
        var highMask: UInt64
        var lowMask: UInt64
        var isIPv6: Bool
    }

    public init() {}

    public var isEmpty: Bool { networks.isEmpty && !includesLocal }

    /// Adds `10.0.0.0/8`, `fd00::/8`, a single address, or `unix:`. False for any other text, and for an address with bits beyond
    /// the prefix length: then one of the two is a mistake.
    public mutating func add(_ text: String) -> Bool {
        if text == "unix:" {
            includesLocal = true
            return true
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = ClientAddress(Array(parts[0].utf8).span) else { return false }
        let isIPv6 = address.isIPv6
        var bits = isIPv6 ? 128 : 32
        if parts.count > 1 {
            guard let number = Int(parts[1]), (0...bits).contains(number), String(number) == parts[1] else {
                return false
            }
            bits = number
        }
        let network = Network(
            high: address.high, low: address.low,
            highMask: isIPv6 ? TrustedNetworks.mask(bits) : 0,
            lowMask: isIPv6 ? TrustedNetworks.mask(bits - 64) : TrustedNetworks.mask(bits) >> 32, isIPv6: isIPv6)
        guard address.high & ~network.highMask == 0, address.low & ~network.lowMask == 0 else { return false }
        networks.append(network)
        return true
    }

    /// A 64-bit mask with this many upper bits set.
    private static func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }

    public func contains(_ address: ClientAddress) -> Bool {
        for index in networks.indices {
            let network = networks[index]
            if network.isIPv6 == address.isIPv6, address.high & network.highMask == network.high,
                address.low & network.lowMask == network.low
            {
                return true
            }
        }
        return false
    }
}

/// The trusted proxies of a server: where they are, and in which fields they name the client.
public struct TrustedProxies: Sendable {
    public var networks = TrustedNetworks()
    /// Only one kind is read: a proxy that writes one of them passes on what a client has written into the other.
    public var fields = Fields.xForwarded
    /// Whether the proxy names the requested host (`X-Forwarded-Host`, or `host` in `Forwarded`). Off by default, because most
    /// proxies pass on what a client has written there: a client could then make a cache store one tenant's answer under
    /// another tenant's name.
    public var readsForwardedHost = false

    public enum Fields: String, Sendable, CaseIterable {
        /// `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`
        case xForwarded = "x-forwarded"
        /// `Forwarded` (RFC 7239)
        case forwarded
    }

    public init() {}
}
