// Compares what a service has with what this server sends and has sent. Pure: the answer and the history go in, the state comes out.

import Posix
import TLS
import Verifier

/// The result of one look at a copy.
struct DeliveryVerdict: Hashable, Sendable {
    var state: DeliveryState
    /// One line for people; empty if there is nothing to say.
    var detail = ""
    var maxAgeSeconds: Int64?
    /// Whether questions about the host's apps wait for a quota.
    var isShort = false

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

    /// The version of this server that a copy is, although the monitor has not seen it: it was replaced too soon, or while no
    /// manager ran. Apple's copy tells by its bytes. Google's answer has none, so it may be any if the history lacks one.
    static func unseen(
        _ answer: CopyAnswer, among recent: [RecentVersion], _ record: DeliveryRecord, sinceSeconds: Int64
    ) -> RecentVersion? {
        switch answer {
        case .document(let bytes):
            let tag = "\"\(Digest.hexadecimal(Digest.sha256(bytes).prefix(16)))\""
            return recent.last { $0.tag == tag }
        case .statements:
            let known = record.versions.count { $0.at / 1_000 >= sinceSeconds }
            return Set(recent.map(\.tag)).count > known ? recent.last : nil
        case .failure, .unusable: return nil
        }
    }

    private static func compare(
        _ digest: [UInt8], _ verifier: DeliveryVerifier, _ current: [UInt8]?, _ versions: [DeliveryVersion],
        _ isSettled: Bool
    ) -> DeliveryVerdict {
        guard let current else {
            return DeliveryVerdict(
                state: .unknown,
                detail: "the host's file includes others, so it cannot be compared with what \(verifier.name) has")
        }
        if digest == current { return DeliveryVerdict(state: .equal) }
        if let version = versions.first(where: { $0.digest == digest }) {
            return DeliveryVerdict(
                state: .older, detail: "\(verifier.name) has your version of \(Clock.day(version.at / 1_000))")
        }
        // A change of the rules alone comes from nobody else.
        if verifier == .google, DocumentDigest.haveSameApps(digest, current) {
            return DeliveryVerdict(
                state: .older, detail: "Google has the apps of the current version, with other dynamic rules")
        }
        if isSettled {
            return DeliveryVerdict(
                state: .foreign, detail: "\(verifier.name) has a file that this server never sent")
        }
        return DeliveryVerdict(
            state: .older,
            detail: "\(verifier.name) has a version from before this server was watched, or from another server")
    }
}

extension DocumentDigest {
    /// The digest of a host's file, for comparison with the copy of a service. Nil if they cannot be compared.
    static func of(_ file: [UInt8], for verifier: DeliveryVerifier) -> [UInt8]? {
        switch verifier {
        case .apple: ofDocument(file)
        case .google: ofStatementList(file)
        }
    }
}
