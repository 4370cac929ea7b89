// Hosts and places of the command line, in any script.

import Association
import Verifier

extension CheckedHost {
    init?(typed text: String) { self.init(HostPattern.inASCII(text)) }
}

extension WebLocation {
    init?(typed text: String) { self.init(HostPattern.inASCII(text)) }
}

extension AddressOverride {
    init?(typed text: String) { self.init(HostPattern.inASCII(text)) }
}
