// Hosts with a certificate of the operator, which the manager leaves alone.

import Database
import Foundation
import Store
import TestSupport
import Testing

@testable import Issuance

struct HostRegisterTests {
    @Test func `a certificate of the operator that is gone for a moment is not replaced`() throws {
        let rig = try CertificateRig()
        let own = "\(rig.places.hosts)/\(CertificateRig.host)"
        var register = HostRegister(rig.control, places: rig.places) { _ in true }
        func states() throws -> [String] {
            try register.synchronize(with: ServedNames(CertificateRig.host), in: &rig.store)
            return try rig.store.read { transaction throws(DatabaseError) in
                try Work.states(CertificateWork.kind, after: "", countMax: 9, in: transaction).map(\.state)
            }
        }
        func place() throws {
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: "\(own)/fullchain.pem"))
        }
        try place()
        #expect(try states() == [])
        try FileManager.default.removeItem(atPath: own)
        #expect(try states() == [])
        #expect(try states() == ["new"])
        // What has changed since the comparison counts.
        try place()
        #expect(try rig.worker.step())
        #expect(rig.count("new-order") == 0)
        try FileManager.default.removeItem(atPath: own)
        let work = try rig.store.read { transaction throws(DatabaseError) in
            try Work.states(CertificateWork.kind, after: "", countMax: 9, in: transaction).count
        }
        #expect(work == 0)
    }
}
