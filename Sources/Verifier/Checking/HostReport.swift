// What a look at a host has come to: what was seen of each file, and what is wrong.

public import Association
import Posix
public import TLS

/// The result for one host.
public struct HostReport: Sendable {
    public let host: CheckedHost
    /// The addresses that were asked.
    public let addresses: [String]
    public let peer: PeerFacts?
    public let files: [File]
    public let findings: [Finding]

    /// One of the two files as it was answered.
    public struct File: Sendable {
        public let path: String
        /// What came instead of an answer; nil where one came.
        public let failure: String?
        public let status: Int?
        public let contentType: String?
        /// Bytes, taken out of any coding.
        public let byteCount: Int?
        public let milliseconds: Int?
    }

    init(_ answers: HostAnswers, _ settings: CheckSettings) {
        host = answers.host
        addresses = answers.addresses.map(\.host)
        let responses = Probe.Document.allCases.lazy.compactMap { answers.response(.file($0)) }
        peer = responses.first?.peer
        files = Probe.Document.allCases.map { document in
            let response = answers.response(.file(document))
            return File(
                path: document.path, failure: answers.error(.file(document))?.description, status: response?.status,
                contentType: response?["content-type"], byteCount: response.map { ($0.plainBody ?? $0.body).count },
                milliseconds: response?.totalMilliseconds)
        }
        var rules = HostRules(answers, settings)
        rules.judge()
        findings = rules.findings
    }

    public var hasErrors: Bool { findings.contains { $0.severity == .error } }
}
