// The answers of one host to all requests, and the report about it.

public import Association
public import Client
import Posix
public import TLS

struct HostAnswers: Sendable {
    let host: CheckedHost
    var addresses: [SocketAddress] = []
    /// Whether the addresses were given instead of looked up.
    var isOverridden = false
    var lookUpError: NameLookupError?
    var answers: [Probe: Result<FetchedResponse, FetchError>] = [:]
    /// The steps of a redirect.
    var steps: [Probe.Document: [String]] = [:]
    /// The answers of Apple's CDN and Google's service about the host.
    var appleCopy: Result<FetchedResponse, FetchError>?
    var googleAnswer: Result<FetchedResponse, FetchError>?
    /// What Google says about the certificates in the statement list; nil if it was not asked.
    var registrations: RegistrationReport?

    init(_ host: CheckedHost) { self.host = host }

    /// The answer to a probe, if there was one.
    func response(_ probe: Probe) -> FetchedResponse? {
        guard case .success(let response)? = answers[probe] else { return nil }
        return response
    }

    func error(_ probe: Probe) -> FetchError? {
        guard case .failure(let error)? = answers[probe] else { return nil }
        return error
    }

    /// Whether the host accepted a connection for the first probe.
    var isReachable: Bool {
        switch error(.file(.apple)) {
        case .cannotConnect, .handshake, .untrusted: false
        case nil, .timedOut, .connectionEnded, .connectionFailed, .failed, .malformed: true
        }
    }

    /// The decoded body of a file that was answered with 200.
    func body(_ document: Probe.Document) -> [UInt8]? {
        guard let response = response(.file(document)), response.status == 200 else { return nil }
        return response.plainBody
    }

    /// The URL of a probe, for findings.
    func name(_ probe: Probe) -> String {
        switch probe {
        case .challenge: "http://\(host.name)\(probe.path)"
        case .sibling: "https://\(host.sibling)\(probe.path)"
        default: "https://\(host)\(probe.path)"
        }
    }
}

extension FetchedResponse {
    /// Whether the body looks like HTML.
    public var isPage: Bool {
        body.prefix(512).first { $0 > 0x20 && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF } == UInt8(ascii: "<")
    }

    /// The seconds of `max-age`; nil if there is none.
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
    public let addresses: [String]
    public let peer: PeerFacts?
    public let files: [File]
    public let findings: [Finding]
    /// Whether the host accepted a connection.
    public let isReachable: Bool
    /// The platforms whose service was asked for its copy.
    public let copiesAsked: ExpectedFiles.Platforms
    /// The content of Apple's copy; nil if there is none.
    public let appleCopy: [UInt8]?
    /// Whether Google was asked if the apps are registered.
    public let registrationsAsked: Bool

    /// The answer for one of the two files.
    public struct File: Sendable {
        public let path: String
        /// Why there was no answer; nil if there was one.
        public let failure: String?
        public let status: Int?
        public let contentType: String?
        /// The size after decoding.
        public let byteCount: Int?
        public let milliseconds: Int?
        /// The decoded content, if the status is 200.
        public let body: [UInt8]?
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
                milliseconds: response?.totalMilliseconds, body: answers.body(document))
        }
        isReachable = answers.isReachable
        var asked: ExpectedFiles.Platforms = []
        if answers.appleCopy != nil { asked.insert(.apple) }
        if answers.googleAnswer != nil { asked.insert(.android) }
        copiesAsked = asked
        registrationsAsked = answers.registrations != nil
        appleCopy = (try? answers.appleCopy?.get()).flatMap { $0.status == 200 ? $0.plainBody : nil }
        var rules = HostRules(answers, settings)
        rules.judge()
        findings = rules.findings
    }

    public var hasErrors: Bool { findings.contains { $0.severity == .error } }
}
