// Those who fetch an association file to believe what it says. They ask by different names and put up with different answers;
// what each is known to do is in its own documents and sources, and each has words of its own for what it does not take.

/// Who fetches.
public enum FileConsumer: String, CaseIterable, Hashable, Sendable {
    /// Apple's content network, which fetches for the devices.
    case apple
    /// Google's Digital Asset Links service.
    case google
    /// The verifier of Android's open source, on the device.
    case aosp
    /// Chromium, for Trusted Web Activities and related apps.
    case chromium

    var agent: Probe.Agent {
        switch self {
        case .apple: .appleBot
        case .google: .google
        case .aosp: .android
        case .chromium: .chromium
        }
    }

    var document: Probe.Document { self == .apple ? .apple : .statements }

    /// Its name in a sentence.
    var name: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google's service"
        case .aosp: "AOSP's verifier"
        case .chromium: "Chromium"
        }
    }

    /// Only Chromium leaves redirects to a loader that follows them.
    var followsRedirects: Bool { self == .chromium }

    /// Only Google's service refuses a file for its content type.
    var needsJSONType: Bool { self == .google }

    /// What it calls a failure, where that is known.
    func word(for kind: RefusedFile.Kind) -> String? {
        switch self {
        case .apple:
            switch kind {
            case .status, .redirect: "SWCERR00101"
            case .time: "SWCERR00301"
            case .unreachable, .trust, .size, .type, .malformed: nil
            }
        case .google:
            switch kind {
            case .status, .time, .unreachable: "ERROR_CODE_FETCH_ERROR"
            case .redirect: "ERROR_CODE_REDIRECT"
            case .trust: "ERROR_CODE_FAILED_SSL_VALIDATION"
            case .size: "ERROR_CODE_TOO_LARGE"
            case .type: "ERROR_CODE_WRONG_CONTENT_TYPE"
            case .malformed: "ERROR_CODE_MALFORMED_HTTP_RESPONSE"
            }
        case .aosp:
            switch kind {
            case .status: "state 1026"
            case .time: "state 1027"
            case .redirect: "state 1029"
            case .unreachable, .trust, .size, .type, .malformed: "state 1028"
            }
        case .chromium: nil
        }
    }
}

/// Why a consumer takes no file from a host.
public struct RefusedFile: Error, Sendable, CustomStringConvertible {
    public let description: String

    /// What it is about.
    public enum Kind: Sendable {
        case unreachable
        case trust
        case time
        case redirect
        case status
        case type
        case size
        /// No HTTP, or not in the coding that it names.
        case malformed
    }

    init(_ message: String, _ kind: Kind, for consumer: FileConsumer) {
        let word = consumer.word(for: kind).map { "; \(consumer.name) calls it \($0)" }
        description = message + (word ?? "")
    }
}
