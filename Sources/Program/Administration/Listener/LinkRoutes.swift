// The link between a server and its manager: a Unix-domain socket in the state directory, for the user of both alone. The manager asks
// for what is served, and says how it is. Operators ask the admin listener, where nothing can be changed.

import HTTP
public import Posix
public import Service
public import Telemetry

/// The sources of the server's answers to its manager.
public protocol LinkHandlers: Sendable {
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
    /// What has become of the app files in a published folder.
    func published(in folder: String) -> PublishedApps
    /// Notes that the manager is there, and what it says.
    func note(_ report: ManagerReport)
}

/// What the manager says of itself several times a minute.
public struct ManagerReport: Sendable, Equatable {
    /// Hosts that it has never had a certificate for, and orders one; nil if it does not know yet.
    public var awaitedCount: Int?
    /// Why it cannot work; nil if it can.
    public var problem: String?

    /// What the first page of the console says of all hosts; nil without a console.
    public var sentence: String?

    static let path = "/manager"
    static let bytesMax = 16_384

    public init(awaitedCount: Int? = nil, problem: String? = nil, sentence: String? = nil) {
        (self.awaitedCount, self.problem, self.sentence) = (awaitedCount, problem, sentence)
    }
}

extension ManagerReport: JSONRecord {
    package static var blank: Self { Self() }
    package static var members: [JSONMember<Self>] {
        [.sparse("awaited", \.awaitedCount), .sparse("problem", \.problem), .sparse("sentence", \.sentence)]
    }
}

extension Service {
    /// Starts to answer the manager on the socket.
    /// - Parameter reports: what operators are told too.
    public convenience init(
        link sources: any LinkHandlers, reports: [Route] = [], on socket: ListeningSocket
    ) throws(SystemError) {
        try self.init("link", Router(link: sources, reports: reports), on: socket)
    }
}

extension Router {
    /// Whoever can open the socket may do everything here.
    init(link sources: any LinkHandlers, reports: [Route] = []) {
        let link = Scope("link")
        func get(_ pattern: String, _ handler: @escaping @Sendable (ServiceRequest) -> ServiceResponse?) -> Route {
            Route(.get, pattern, link) { handler($0) ?? ServiceResponse(.notFound, lines: ["no such path"]) }
        }
        @Sendable func json(_ bytes: [UInt8]) -> ServiceResponse { ServiceResponse(.ok, ServiceResponse.json, bytes) }
        func file(_ pattern: String, _ document: RequestedDocument) -> Route {
            get(pattern) { request in
                sources.file(of: request.parameters[0], document).map {
                    ServiceResponse(.ok, ServiceResponse.bytes, $0)
                } ?? ServiceResponse(.notFound, lines: ["this host does not send such a file"])
            }
        }
        self.init(
            reports + [
                get("/served") { _ in json(sources.served().json) },
                get("/served/DIGEST") { request in
                    if request.parameters[0] == sources.servedDigest() { return ServiceResponse(.noContent, lines: []) }
                    return json(sources.served().json)
                },
                get("/documents") { _ in json(sources.documents(after: "").json) },
                get("/documents/NAME") { json(sources.documents(after: $0.parameters[0]).json) },
                file("/document/apple/HOST", .appleAssociation),
                file("/document/google/HOST", .statementList),
                get("/fetched/SECONDS") { request in
                    guard let seconds = Int64(request.parameters[0]), seconds >= 0 else { return nil }
                    return json(sources.fetches(since: seconds).json)
                },
                get("/published/TENANT") { json(sources.published(in: $0.parameters[0]).json) },
                Route(
                    .put, ManagerReport.path, link, bodyBytesMax: ManagerReport.bytesMax,
                    contentType: ServiceResponse.json
                ) { request in
                    guard var report = ManagerReport(json: request.body), report.awaitedCount ?? 0 >= 0 else {
                        return ServiceResponse(.badRequest, lines: ["send an object with awaited and problem"])
                    }
                    if report.problem?.isEmpty == true { report.problem = nil }
                    sources.note(report)
                    return ServiceResponse(.noContent, lines: [])
                },
            ]
        ) { _ in Identity("manager", [link, .status]) }
    }
}
