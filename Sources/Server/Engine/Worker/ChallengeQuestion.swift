// Challenges of certificate authorities (RFC 8555 §8.3). The files exist only for seconds, so they are not in the catalogue: a request
// waits until its file has been read, by a thread that reads no certificates. Any client can ask for tokens that do not exist;
// networks take turns, so they cannot lock an authority out.

import HTTP
import Posix
import TLS

/// The questions of all workers. No answer means that there is no file.
typealias ChallengeQueue = AnswerQueue<ChallengeQuestion, [UInt8]?>

/// A host in lower case and a token.
struct ChallengeQuestion: Hashable, Sendable {
    let host: [UInt8]
    let token: [UInt8]

    static let waitingMax = 1_024
    private static let prefix: StaticString = "/.well-known/acme-challenge/"
    /// A token has at least 128 bits (RFC 8555 §8.3), so 22 characters; authorities use 43. A short one is a word that a client made
    /// up, and the thumbprint would be appended to it.
    private static let tokenBytes = 16...128

    init(_ host: Span<UInt8>, _ token: Span<UInt8>) {
        self.host = unsafe host.withUnsafeBytes { unsafe $0.map { Octet.lowercased($0) } }
        self.token = unsafe token.withUnsafeBytes { unsafe Array($0) }
    }

    /// The token of a challenge's path; nil for every other path.
    static func token(of path: Span<UInt8>) -> Range<Int>? {
        let count = prefix.utf8CodeUnitCount
        guard tokenBytes.contains(path.count - count), path.hasPrefix(prefix) else { return nil }
        // RFC 8555 §8.3: the base64url alphabet, which has neither a dot nor a slash.
        for index in count..<path.count where !Base64URL.isDigit(path[index]) { return nil }
        return count..<path.count
    }

    static func queue(_ find: @escaping EngineSettings.ChallengeSource) throws(SystemError) -> ChallengeQueue {
        try ChallengeQueue(waitingMax: waitingMax, threads: ["challenges"]) { find($0.host, $0.token) }
    }
}
