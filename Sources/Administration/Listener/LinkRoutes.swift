// The link between a server and its manager: a Unix-domain socket in the state directory, for the user of both alone. The manager asks
// for what is served, and says how it is. Operators ask the admin listener, where nothing can be changed.

import HTTP
import TLS
public import Telemetry

/// The sources of the server's answers to its manager.
public protocol LinkSources: Sendable {
    /// All hosts, with the digest of everything that is served.
    func served() -> ServedHosts
    /// The digest alone, which is known without listing the hosts.
    func servedDigest() -> String
    /// The association files of hosts with names after one.
    func documents(after name: String) -> ServedDocuments
    /// The file of a host; nil if it has none.
    func file(of host: String, _ document: RequestedDocument) -> [UInt8]?
    /// The latest fetches of current files by Apple and Google since a moment.
    func fetches(since seconds: Int64) -> RecentFetches
    /// Notes that the manager is there, and what it says.
    func note(_ report: ManagerReport)
}

/// What the manager says of itself several times a minute, with PUT, as a path such as `/manager/7/6e6f`.
public struct ManagerReport: Sendable, Equatable {
    /// Hosts that it has never had a certificate for, and orders one; nil if it does not know yet.
    public var awaitedCount: Int?
    /// Why it cannot work; nil if it can.
    public var problem: String?

    private static let prefix = "/manager/"
    private static let unknown = "-"
    private static let problemBytesMax = 400

    public init(awaitedCount: Int? = nil, problem: String? = nil) {
        (self.awaitedCount, self.problem) = (awaitedCount, problem)
    }

    public var path: String {
        let count = ManagerReport.prefix + (awaitedCount.map { "\($0)" } ?? ManagerReport.unknown)
        guard let problem else { return count }
        return "\(count)/\(Digest.hexadecimal(problem.utf8.prefix(ManagerReport.problemBytesMax)))"
    }

    /// Nil for any other path.
    init?(path: String) {
        let parts = path.suffix(after: ManagerReport.prefix)?.split(separator: "/", omittingEmptySubsequences: false)
        guard let parts, parts.count <= 2 else { return nil }
        awaitedCount = Int(parts[0])
        guard parts[0] == ManagerReport.unknown || awaitedCount.map({ $0 >= 0 }) == true else { return nil }
        if parts.count == 2 { problem = ManagerReport.text(parts[1]) }
    }

    /// Without control characters. Nil if nothing is left.
    private static func text(_ digits: Substring) -> String? {
        let digits = Array(digits.utf8.prefix(problemBytesMax * 2))
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
            UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16)
        }
        let text = String(decoding: bytes.filter { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}

/// The endpoints of the link.
struct LinkRoutes: Sendable {
    let sources: any LinkSources

    func answer(_ request: AdminRequest) -> AdminResponse {
        switch request.method {
        case .get: return answer(path: request.path) ?? AdminResponse(.notFound, lines: ["no such path"])
        // Of the methods that change something, the manager uses PUT.
        case .notServed:
            guard let report = ManagerReport(path: request.path) else {
                return AdminResponse(.notFound, lines: ["no such path"])
            }
            sources.note(report)
            return AdminResponse(.noContent, lines: [])
        case .head, .options, .connect, .unknown:
            return AdminResponse(.methodNotAllowed, lines: ["only GET and PUT"])
        }
    }

    private func answer(path: String) -> AdminResponse? {
        if let digest = path == "/served" ? "" : path.suffix(after: "/served/") {
            if digest == sources.servedDigest() { return AdminResponse(.noContent, lines: []) }
            return AdminResponse(.ok, AdminResponse.json, sources.served().json)
        }
        if let name = path == "/documents" ? "" : path.suffix(after: "/documents/") {
            return AdminResponse(.ok, AdminResponse.json, sources.documents(after: String(name)).json)
        }
        if let host = path.suffix(after: "/document/apple/") { return file(of: host, .appleAssociation) }
        if let host = path.suffix(after: "/document/google/") { return file(of: host, .statementList) }
        guard let text = path.suffix(after: "/fetched/"), let seconds = Int64(text), seconds >= 0 else { return nil }
        return AdminResponse(.ok, AdminResponse.json, sources.fetches(since: seconds).json)
    }

    private func file(of host: Substring, _ document: RequestedDocument) -> AdminResponse {
        guard let file = sources.file(of: String(host), document) else {
            return AdminResponse(.notFound, lines: ["this host does not send such a file"])
        }
        return AdminResponse(.ok, AdminResponse.bytes, file)
    }
}

extension String {
    /// What follows a prefix; nil without it.
    func suffix(after prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
