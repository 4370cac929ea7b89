// An engine whose workers write lines and counts, and functions to wait for them.

import Catalogue
import Engine
import Foundation
import HTTP
import Posix
import Telemetry
import TestSupport
import Testing

/// An engine with an access log.
final class LoggedEngine {
    let folder: TemporaryFolder
    let metrics: WorkerMetrics
    let accessLog: AccessLog
    let engine: Engine

    static let sites =
        TestEngine.sites + [
            PreparedSite(
                host: "app.example",
                answers: [
                    (
                        "/.well-known/apple-app-site-association",
                        TestEngine.answer(.bytes(Array("{}".utf8)), kind: .appleAssociation)
                    ),
                    ("/.well-known/security.txt", TestEngine.answer(.bytes(Array("Contact:".utf8)), kind: .wellKnown)),
                ])
        ]

    init(limits: Limits = TestEngine.limits, format: LogFormat = .json) throws {
        folder = try TemporaryFolder()
        metrics = WorkerMetrics(workerCount: 1)
        accessLog = try AccessLog(.file("\(folder.path)/access.log"), format, metrics: metrics)
        var settings = try EngineSettings(plainAddresses: [try #require(SocketAddress("127.0.0.1:0"))], workerCount: 1)
        settings.limits = limits
        (settings.metrics, settings.accessLog) = (metrics, accessLog)
        engine = try Engine(settings, published: PublishedCatalogue(TestEngine.catalogue(LoggedEngine.sites)))
    }

    deinit {
        engine.stop()
        accessLog.end()
    }

    var address: SocketAddress { engine.addresses[0] }

    /// The lines, once there are this many.
    func lines(_ count: Int) throws -> [[String: Any]] {
        var text = ""
        _ = try eventually {
            text = try String(contentsOfFile: "\(folder.path)/access.log", encoding: .utf8)
            return text.utf8.count { $0 == 0x0A } >= count
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == count && (text.isEmpty || text.hasSuffix("\n")))
        return try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:] }
    }

    func total(_ counter: Counter) -> Int { Int(metrics.total(counter)) }

    func verifierFetches() -> [VerifierFetch] {
        var found: [VerifierFetch] = []
        metrics.drainVerifierFetches { found.append($0) }
        return found
    }
}
