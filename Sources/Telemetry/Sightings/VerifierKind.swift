// Who fetches association files, by what it calls itself. Anybody can call himself so: this is for people who want to know
// whether Apple and Google have been there, and decides nothing.

/// A program that checks which apps a host belongs to.
public enum VerifierKind: UInt8, CaseIterable, Sendable {
    /// Apple's own fetcher, which fills the copy that all devices get: `AASA-Bot`.
    case appleCDN
    /// A device that asks directly, in developer mode or before iOS 14, and App Store Connect: `swcd`, `CFNetwork`.
    case appleDevice
    /// The service behind Digital Asset Links: `GoogleAssociationService`.
    case googleAssociation
    case googlebot
    /// A device that verifies app links by itself: `Dalvik`.
    case androidDevice
    case none

    /// As logs and metrics call it.
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

    /// Recognises a verifier by its user agent. The names have not changed case in any log that was seen. What ends in the
    /// mark of `associated check` only asks as a verifier would.
    public init(userAgent: UnsafeRawBufferPointer) {
        if unsafe userAgent.ends(with: "associated-check/1.0") {
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

    /// Whether the text stands in it anywhere. A user agent is a hundred bytes, and the first letters are rare.
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
