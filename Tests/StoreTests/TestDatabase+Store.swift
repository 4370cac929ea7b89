// A store with its own tables only, on each engine.

import Database
import Foundation
import TLS

@testable import DatabaseSupport
@testable import Store

extension TestDatabase {
    func store() throws -> Store {
        let file = "\(folder)/store.key"
        try Data(repeating: 7, count: 32).write(to: URL(fileURLWithPath: file))
        return try Store(SQLConnection(location), keys: SealingKeys(file: file), schema: Schema(Store.tables))
    }
}
