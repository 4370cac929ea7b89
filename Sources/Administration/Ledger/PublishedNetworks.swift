// The networks that Apple and Google publish as theirs, and the network of a client. A fetch from one of them is confirmed. One
// from elsewhere may be genuine too: phones are everywhere, and Apple does not publish the addresses of its CDN's fetcher. So the
// table has only the large networks, which have been stable for years, and informs people; no answer depends on it.

import HTTP
import Posix
import Telemetry

enum PublishedNetworks {
    /// As Apple lists them for firewalls of companies.
    private static let apple = networks("17.0.0.0/8", "2403:300::/32", "2620:149::/32", "2a01:b740::/32")
    /// Google's lists of crawlers and of special crawlers, as they were on 2026-04-23. `googlebot.json` also has small networks in
    /// Google Cloud. Of the lists of user-triggered fetchers, `user-triggered-fetchers.json` has networks in which programs of
    /// Google's customers run, and the others have those from which Google requests what users and agents want. None of them proves
    /// that a fetch is Google's own, and Google does not name its fetcher of association files among those of these lists.
    private static let google = networks(
        // Most of googlebot.json, and all of the IPv6 networks of both.
        "66.249.64.0/19", "192.178.4.0/22", "2001:4860:4801::/48",
        // special-crawlers.json
        "72.14.199.0/24", "74.125.148.0/22", "74.125.216.0/22", "108.177.2.0/24", "192.178.16.0/23", "209.85.238.0/24")

    /// Whether the client is in a network of the company whose verifier it says it is.
    static func include(_ remote: RemoteAddress, of verifier: VerifierKind) -> Bool {
        let networks: TrustedNetworks
        switch verifier {
        case .appleCDN, .appleDevice: networks = apple
        case .googleAssociation, .googlebot: networks = google
        case .androidDevice, .none: return false
        }
        switch remote.family {
        case .ipv4: return networks.contains(ClientAddress(ipv4: UInt32(truncatingIfNeeded: remote.low)))
        case .ipv6: return networks.contains(ClientAddress(ipv6: remote.high, remote.low))
        case .local, .unknown: return false
        }
    }

    private static func networks(_ texts: String...) -> TrustedNetworks {
        var networks = TrustedNetworks()
        for text in texts {
            let isTaken = networks.add(text)
            precondition(isTaken, "\(text) is a network")
        }
        return networks
    }
}

extension RemoteAddress {
    /// The network of the client, which tells a company and not a person: a /24 of IPv4 or a /48 of IPv6. Nil for a Unix-domain
    /// peer.
    var networkName: String? {
        switch family {
        case .ipv4: "\(RemoteAddress(family: .ipv4, high: 0, low: low & ~0xFF, port: 0))/24"
        case .ipv6: "\(RemoteAddress(family: .ipv6, high: high & ~0xFFFF, low: 0, port: 0))/48"
        case .local, .unknown: nil
        }
    }
}
