// Compares what a service has with what this server sends and has sent. Pure: the answer and the history go in, the state comes out.

import Posix
import Verifier

/// The result of one look at a copy.
struct DeliveryVerdict: Hashable, Sendable {
    var state: DeliveryState
    /// Of the copy.
    var digest: [UInt8]?
    /// One line for people; empty if there is nothing to say.
    var detail = ""
    var maxAgeSeconds: Int64?

    /// - Parameters:
    ///   - answer: of the service.
    ///   - current: the digest of the file that the server sends; nil if it cannot be compared.
    ///   - versions: the last versions of the host.
    ///   - isSettled: whether a copy that is unknown here must come from elsewhere, because the history is complete.
    static func judge(
        _ answer: CopyAnswer, of verifier: DeliveryVerifier, current: [UInt8]?, versions: [DeliveryVersion],
        isSettled: Bool
    ) -> DeliveryVerdict {
        switch answer {
        case .unusable(let reason): return DeliveryVerdict(state: .unknown, detail: "\(verifier.name): \(reason)")
        case .failure(let reason): return DeliveryVerdict(state: .failing, detail: reason)
        case .nothing:
            return DeliveryVerdict(state: .absent, detail: "\(verifier.name) has no copy and gives no reason")
        case .document(let bytes):
            return compare(DocumentDigest.ofDocument(bytes), verifier, current, versions, isSettled)
        case .statements(let apps, let maxAgeSeconds):
            var verdict = compare(DocumentDigest.ofStatements(apps), verifier, current, versions, isSettled)
            if apps.isEmpty, current != nil, verdict.state != .equal {
                verdict = DeliveryVerdict(state: .absent, detail: "Google lists no app for this host")
            }
            verdict.maxAgeSeconds = maxAgeSeconds
            return verdict
        }
    }

    private static func compare(
        _ digest: [UInt8], _ verifier: DeliveryVerifier, _ current: [UInt8]?, _ versions: [DeliveryVersion],
        _ isSettled: Bool
    ) -> DeliveryVerdict {
        guard let current else {
            return DeliveryVerdict(
                state: .unknown, digest: digest,
                detail: "the host's file includes others, so it cannot be compared with what \(verifier.name) has")
        }
        if digest == current { return DeliveryVerdict(state: .equal, digest: digest) }
        if let version = versions.first(where: { $0.digest == digest }) {
            return DeliveryVerdict(
                state: .older, digest: digest,
                detail: "\(verifier.name) has your version of \(Clock.day(version.at / 1_000))")
        }
        if isSettled {
            return DeliveryVerdict(
                state: .foreign, digest: digest, detail: "\(verifier.name) has a file that this server never sent")
        }
        return DeliveryVerdict(
            state: .older, digest: digest,
            detail: "\(verifier.name) has a version from before this server was watched, or from another server")
    }
}
