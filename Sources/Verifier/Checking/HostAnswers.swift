// What a host answered, and the report about it: what was seen of each file, and what is wrong.

public import Association
public import Client
import Posix
public import TLS

/// The answers to all questions about one host.
struct HostAnswers: Sendable {
    let host: CheckedHost
    var addresses: [SocketAddress] = []
    /// Whether the addresses were given instead of looked up.
    var isOverridden = false
    var lookUpError: NameLookupError?
    var answers: [Probe: Result<FetchedResponse, FetchError>] = [:]
    /// Where a redirect leads, step by step.
    var steps: [Probe.Document: [String]] = [:]
    /// What Apple's copy and Google's service say.
    var appleCopy: Result<FetchedResponse, FetchError>?
    var googleAnswer: Result<FetchedResponse, FetchError>?

    init(_ host: CheckedHost) { self.host = host }

    /// The answer to a question, if there was one.
    func response(_ probe: Probe) -> FetchedResponse? {
        guard case .success(let response)? = answers[probe] else { return nil }
        return response
    }

    func error(_ probe: Probe) -> FetchError? {
        guard case .failure(let error)? = answers[probe] else { return nil }
        return error
    }

    /// Whether anything came back at all for the first question.
    var isReachable: Bool {
        switch error(.file(.apple)) {
        case .cannotConnect, .handshake, .untrusted: false
        case nil, .timedOut, .cutOff, .brokenOff, .failed, .malformed: true
        }
    }

    /// A file that is answered as its readers want it, taken out of its coding.
    func body(_ document: Probe.Document) -> [UInt8]? {
        guard let response = response(.file(document)), response.status == 200 else { return nil }
        return response.plainBody
    }

    /// How findings name what was asked for.
    func name(_ probe: Probe) -> String {
        switch probe {
        case .challenge: "http://\(host.name)\(probe.path)"
        case .sibling: "https://\(host.sibling)\(probe.path)"
        default: "https://\(host)\(probe.path)"
        }
    }
}

extension FetchedResponse {
    /// Whether the body is a page for people.
    var isPage: Bool {
        body.prefix(512).first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF } == UInt8(ascii: "<")
    }

    /// The seconds of `max-age`; nil where there is none.
    var maxAge: Int? {
        for directive in (self["cache-control"] ?? "").lowercased().split(separator: ",") {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmed(of: [" "]) == "max-age" else { continue }
            return Int(parts[1].trimmed(of: [" ", "\""]))
        }
        return nil
    }
}

/// The result for one host.
public struct ServerCheckReport: Sendable {
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
