// A store on each engine, with the tables of its users.

import Database
import Foundation
import Store
import TLS

extension TestDatabase {
    /// The keys in `store.key`, which is created if missing.
    func keys() throws -> SealingKeys {
        let file = "\(folder)/store.key"
        if !FileManager.default.fileExists(atPath: file) {
            try Data((0..<32).map { UInt8($0) }).write(to: URL(fileURLWithPath: file))
        }
        return try SealingKeys(file: file)
    }

    func store(_ tables: [Migration]) throws -> Store {
        try Store(SQLConnection(location), keys: keys(), schema: Schema(tables))
    }
}
