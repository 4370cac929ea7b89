// What the manager's console asks of the server besides what operators are told: the operator's app files, and which hosts name an app.

import Administration
import Association
import Catalogue
import HTTP
import Posix
import Service
import SourceJSON

extension ServerAnswers {
    /// For the link.
    var consoleRoutes: [Route] {
        func get(_ pattern: String, _ answer: @escaping @Sendable (ServiceRequest) -> SourceValue) -> Route {
            Route(.get, pattern, .status) {
                ServiceResponse(.ok, ServiceResponse.json, SourceWriter.minified(answer($0)))
            }
        }
        return [
            get("/apps") { _ in operatorFiles(after: "") },
            get("/apps/NAME") { operatorFiles(after: $0.parameters[0]) },
            get("/apps/with/TEXT") { hosts(naming: $0.parameters[0]) },
        ]
    }

    private static let filesMax = 100
    private static let hostsMax = 50
    /// A search among very many hosts ends with what it has.
    private static let searchMilliseconds: Int64 = 500

    /// The files of `config/apps` behind one, which are in no published folder.
    private func operatorFiles(after name: String) -> SourceValue {
        let current = state.current
        let published = Set(current.published.values.flatMap(\.keys))
        let files = Set(current.appFiles.values.joined()).subtracting(published).filter { $0 > name }.sorted()
        return .object([
            ("files", .array(files.prefix(Self.filesMax).map { .string($0) })),
            ("more", .bool(files.count > Self.filesMax)),
        ])
    }

    /// The hosts whose files have a text: an app id, a package or a fingerprint.
    private func hosts(naming text: String) -> SourceValue {
        let (catalogue, end) = (published.current, Clock.monotonicMilliseconds() + Self.searchMilliseconds)
        let wanted = Array(SourceWriter.quoted(text).utf8)
        var found: [SourceValue] = []
        for host in catalogue.servedHosts.sorted() where found.count < Self.hostsMax {
            if Clock.monotonicMilliseconds() > end { break }
            let names = [AssociationPath.apple, AssociationPath.statements].contains { path in
                catalogue.body(of: host, path: path)?.firstRange(of: wanted) != nil
            }
            if names { found.append(.string(host)) }
        }
        return .object([("hosts", .array(found))])
    }
}
