// The values of labels. Dashboards and alerts depend on them, so they are written out here and do not follow the names in the
// code.

import HTTP
import Telemetry

extension StatusClass {
    var label: String {
        switch self {
        case .success: "2xx"
        case .redirection: "3xx"
        case .clientError: "4xx"
        case .serverError: "5xx"
        case .notSupported: "unsupported"
        }
    }
}

extension RequestedDocument {
    var label: String {
        switch self {
        case .appleAssociation: "apple_app_site_association"
        case .statementList: "assetlinks"
        case .wellKnown: "well_known"
        case .page: "page"
        case .landing: "landing"
        case .none: "none"
        }
    }
}

extension AdmissionRefusal {
    var label: String {
        switch self {
        case .tooManyConnections: "too_many_connections"
        case .tooManyHandshakes: "too_many_handshakes"
        case .tooManyFromAddress: "too_many_from_address"
        case .notFromTrustedProxy: "not_from_front"
        }
    }
}

extension CloseReason {
    var label: String {
        switch self {
        case .client: "client"
        case .finished: "finished"
        case .idle: "idle"
        case .deadline: "deadline"
        case .limit: "limit"
        case .refused: "refused"
        case .error: "error"
        case .evicted: "evicted"
        case .drained: "drained"
        }
    }
}

extension VerifierKind {
    var label: String {
        switch self {
        case .appleCDN: "apple"
        case .appleDevice: "apple_device"
        case .googleAssociation: "google"
        case .googlebot: "googlebot"
        case .androidDevice: "android_device"
        case .none: "none"
        }
    }

    /// The name for people.
    var name: String {
        switch self {
        case .appleCDN: "Apple"
        case .appleDevice: "Apple devices"
        case .googleAssociation: "Google"
        case .googlebot: "Googlebot"
        case .androidDevice: "Android devices"
        case .none: "none"
        }
    }

    /// All kinds except `none`.
    static let known = VerifierKind.allCases.filter { $0 != .none }
}

extension Rejection {
    var label: String {
        switch self {
        case .malformedRequestLine: "malformed_request_line"
        case .malformedTarget: "malformed_target"
        case .unsupportedVersion: "unsupported_version"
        case .targetTooLong: "target_too_long"
        case .methodTooLong: "method_too_long"
        case .malformedLineEnd: "malformed_line_end"
        case .malformedField: "malformed_field"
        case .foldedField: "folded_field"
        case .headTooLong: "head_too_long"
        case .tooManyFields: "too_many_fields"
        case .missingHost: "missing_host"
        case .repeatedHost: "repeated_host"
        case .malformedHost: "malformed_host"
        case .contradictingHost: "contradicting_host"
        case .malformedContentLength: "malformed_content_length"
        case .ambiguousBodyLength: "ambiguous_body_length"
        case .malformedTransferCoding: "malformed_transfer_coding"
        case .unsupportedTransferCoding: "unsupported_transfer_coding"
        case .malformedChunk: "malformed_chunk"
        case .bodyTooLong: "body_too_long"
        case .unknownExpectation: "unknown_expectation"
        case .timedOut: "timed_out"
        case .notHTTP: "not_http"
        }
    }
}
