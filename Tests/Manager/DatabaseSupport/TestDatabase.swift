// An empty database for one test, on either engine.

import Database
import Foundation
import Synchronization

/// The engines that a suite is run over.
enum TestEngine: String, CaseIterable, Sendable {
    case sqlite
    case postgreSQL

    /// SQLite always, PostgreSQL where it is installed.
    static let available = allCases.filter { $0 == .sqlite || PostgreSQLServer.shared != nil }
}

/// A database that is removed with this process.
final class TestDatabase: Sendable {
    let folder: String
    let location: DatabaseLocation

    init(_ engine: TestEngine) throws {
        let name = "test_\(UUID().uuidString.replacingOccurrences(of: "-", with: ""))"
        folder = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        TestDatabase.removal
        TestDatabase.folders.withLock { [folder] in $0.append(folder) }
        switch engine {
        case .sqlite: location = .sqlite(path: "\(folder)/test.db")
        case .postgreSQL:
            guard let server = PostgreSQLServer.shared else { throw CocoaError(.executableNotLoadable) }
            var connection = try SQLConnection(.postgreSQL(uri: server.uri()))
            try connection.write { transaction throws(DatabaseError) in try transaction.execute("create schema \(name)")
            }
            location = .postgreSQL(uri: server.uri("options=-csearch_path%3D\(name)"))
        }
    }

    /// The location as in a setting, for a process of its own.
    var locationText: String {
        switch location {
        case .sqlite(let path): path
        case .postgreSQL(let uri): uri
        }
    }

    func connect(_ limits: ConnectionLimits = ConnectionLimits()) throws -> SQLConnection {
        try SQLConnection(location, limits: limits)
    }

    /// Removed when the process ends: a store may outlive this value, and no file is used that was deleted.
    private static let folders = Mutex<[String]>([])
    private static let removal: Void = {
        atexit {
            for folder in TestDatabase.folders.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: folder) }
        }
    }()
}
