// Why a request is refused for its form. Each reason has one documented answer. The connection is closed after it, because
// the start of the next request is not known.

/// A reason to refuse a request.
public enum Rejection: UInt8, Sendable, CaseIterable {
    // RFC 9112 §2.2, §3: the request line
    case malformedRequestLine
    case malformedTarget
    case unsupportedVersion
    case targetTooLong
    case methodTooLong
    // RFC 9112 §2.2, §5: the field lines
    case malformedLineEnd
    case malformedField
    case foldedField
    case headTooLong
    case tooManyFields
    // RFC 9112 §3.2: the host
    case missingHost
    case repeatedHost
    case malformedHost
    case contradictingHost
    // RFC 9112 §6, §7: the body
    case malformedContentLength
    case ambiguousBodyLength
    case malformedTransferCoding
    case unsupportedTransferCoding
    case malformedChunk
    case bodyTooLong
    // RFC 9110 §10.1.1
    case unknownExpectation
    // RFC 9110 §15.5.9: the request did not arrive in time
    case timedOut
    /// TLS or another protocol on a plain HTTP port, or plain HTTP on a TLS port.
    case notHTTP

    public var status: Status {
        switch self {
        case .targetTooLong: .uriTooLong
        case .methodTooLong, .unsupportedTransferCoding: .notImplemented
        case .headTooLong, .tooManyFields: .requestHeaderFieldsTooLarge
        case .unsupportedVersion: .versionNotSupported
        case .bodyTooLong: .contentTooLarge
        case .unknownExpectation: .expectationFailed
        case .timedOut: .requestTimeout
        default: .badRequest
        }
    }
}
