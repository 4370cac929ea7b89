// Hosts and places of the command line, in any script.

import Association
import Verifier

extension HostPattern {
    /// The host in what a person types: a name, a name with a port, or a URL. What is none of these stays as it is, to be
    /// refused where it is read.
    static func typed(_ text: String, keepsPort: Bool = false) -> String {
        alone(inASCII(text), keepsPort: keepsPort)
    }

    /// The same in the script that it is written in.
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
