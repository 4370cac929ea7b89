// Recognises verifiers by their user agents. Any client can forge one, so this only informs people whether Apple and Google have
// fetched a file; no answer depends on it.

/// A system that fetches association files to verify which apps a host belongs to.
public enum VerifierKind: UInt8, CaseIterable, Sendable {
    /// The fetcher of Apple's CDN, from which devices get the file: `AASA-Bot`.
    case appleCDN
    /// A device that fetches directly (in developer mode or before iOS 14), or App Store Connect: `swcd`, `CFNetwork`.
    case appleDevice
    /// The service behind Digital Asset Links: `GoogleAssociationService`.
    case googleAssociation
    case googlebot
    /// A device that verifies app links by itself: `Dalvik`.
    case androidDevice
    case none

    /// The name in logs.
    public var name: StaticString {
        switch self {
        case .appleCDN: "apple-cdn"
        case .appleDevice: "apple-device"
        case .googleAssociation: "google-association"
        case .googlebot: "googlebot"
        case .androidDevice: "android-device"
        case .none: "none"
        }
    }

    /// Recognises a verifier by its user agent, case-sensitively: no log has shown other spellings. The program's own requests
    /// are none: those of checks end with a mark after a verifier's user agent, all others begin with the program's name.
    public init(userAgent: UnsafeRawBufferPointer) {
        if unsafe userAgent.ends(with: "associated-check/1.0") || userAgent.begins(with: "associated/") {
            self = .none
        } else if unsafe userAgent.begins(with: "AASA-Bot") {
            self = .appleCDN
        } else if unsafe userAgent.begins(with: "swcd") {
            self = .appleDevice
        } else if unsafe userAgent.begins(with: "Dalvik/") {
            self = .androidDevice
        } else if unsafe userAgent.contains("GoogleAssociationService") {
            self = .googleAssociation
        } else if unsafe userAgent.contains("Googlebot") {
            self = .googlebot
        } else if unsafe userAgent.contains("AASA-Bot") {
            self = .appleCDN
        } else if unsafe userAgent.contains("CFNetwork/") {
            self = .appleDevice
        } else {
            self = .none
        }
    }
}

extension UnsafeRawBufferPointer {
    func begins(with text: StaticString) -> Bool { unsafe count >= text.utf8CodeUnitCount && has(text, at: 0) }

    func ends(with text: StaticString) -> Bool {
        unsafe count >= text.utf8CodeUnitCount && has(text, at: count - text.utf8CodeUnitCount)
    }

    /// Whether the bytes contain the text. A user agent has about a hundred bytes, and the first letters are rare.
    func contains(_ text: StaticString) -> Bool {
        guard count >= text.utf8CodeUnitCount else { return false }
        let first = unsafe text.utf8Start[0]
        for index in 0...(count - text.utf8CodeUnitCount) where unsafe self[index] == first && has(text, at: index) {
            return true
        }
        return false
    }

    private func has(_ text: StaticString, at start: Int) -> Bool {
        for index in 0..<text.utf8CodeUnitCount where unsafe self[start + index] != text.utf8Start[index] {
            return false
        }
        return true
    }
}
