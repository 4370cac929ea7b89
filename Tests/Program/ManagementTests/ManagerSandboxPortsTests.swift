// The ports of the database that the manager's sandbox lets it connect to.

import Testing

@testable import Management

struct ManagerSandboxPortsTests {
    @Test(
        arguments: [
            ("postgresql://a/db", [5_432]), ("postgresql://a:5433/db", [5_433]), ("postgresql://", [5_432]),
            ("postgresql://user:secret@a:5433/db?sslmode=require", [5_433]), ("postgresql://user:1234@a", [5_432]),
            ("postgresql://a:5433,b:5432/db", [5_433, 5_432]), ("postgres://a,b:6000,c/db", [5_432, 6_000, 5_432]),
            ("postgresql://[2001:db8::1]:5433,[::1]/db", [5_433, 5_432]), ("postgresql:///db?port=7", [5_432, 7]),
            ("postgresql://a:5433,b:5432/db?host=c&port=5434", [5_433, 5_432, 5_434]),
            ("postgresql:///db?port=7,8&host=a,b", [5_432, 7, 8]), ("postgresql:///db?port=7%2C8", [5_432, 7, 8]),
            ("postgresql:///db?port=7%2c,x", [5_432, 7]),
        ] as [(String, [UInt16])])
    func `finds each port of a database URL`(url: String, ports: [UInt16]) {
        #expect(ManagerSandbox.databasePorts(url) == ports)
    }
}
