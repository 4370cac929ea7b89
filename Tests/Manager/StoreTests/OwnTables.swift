// A store with its own tables only.

import Store

@testable import DatabaseSupport

extension TestDatabase {
    func store() throws -> Store { try store(Store.tables) }
}
