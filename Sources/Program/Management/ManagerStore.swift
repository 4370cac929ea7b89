// The database of a manager: what the store has for all work, with the tables of each of its users.

public import Database
import Delivery
import Issuance
import Publishing
public import Store
public import TLS

extension Store {
    public init(
        _ location: DatabaseLocation, keys: SealingKeys, limits: ConnectionLimits = ConnectionLimits()
    ) throws(DatabaseError) {
        try self.init(
            SQLConnection(location, limits: limits), keys: keys,
            schema: Schema(Store.tables + CertificateWork.tables + DeliveryRecord.tables + PublishingTables.tables))
    }
}
