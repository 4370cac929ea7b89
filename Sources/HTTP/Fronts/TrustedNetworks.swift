// Whose word counts about who the client is: the networks in which the fronts of this server are, as an administrator has
// written them. Everybody else may say what they like.

/// Networks, and perhaps the Unix-domain sockets of this machine.
public struct TrustedNetworks: Sendable {
    private var networks: [Network] = []
    /// Whether whoever connects to a Unix-domain socket is trusted.
    public private(set) var includesLocal = false

    private struct Network {
        var high: UInt64
        var low: UInt64
        var highMask: UInt64
        var lowMask: UInt64
        var isIPv6: Bool
    }

    public init() {}

    /// Nobody is trusted.
    public var isEmpty: Bool { networks.isEmpty && !includesLocal }

    /// Adds `10.0.0.0/8`, `fd00::/8`, a single address, or `unix:`. False when the text is none of these, or has bits beyond
    /// its length: then one of the two is a mistake.
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

    /// The upper bits of a half, so many.
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

/// The fronts of a server: who they are, and in which fields they speak.
public struct FrontSettings: Sendable {
    /// Everybody else is a client, whatever they send.
    public var trusted = TrustedNetworks()
    /// One kind only: a front that writes the one passes on what a client has written into the other.
    public var fields = Fields.xForwarded
    /// Whether the front says which host was asked for (`X-Forwarded-Host`, or `host` in `Forwarded`). Off, because most fronts
    /// pass on what a client has written there: then anybody could have one tenant's answer kept for another's name.
    public var namesHost = false

    public enum Fields: String, Sendable, CaseIterable {
        /// `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`
        case xForwarded = "x-forwarded"
        /// `Forwarded` (RFC 7239)
        case forwarded
    }

    public init() {}
}
