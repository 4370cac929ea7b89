// Whose a host is.

import Tenancy
import Testing

struct TenantIDTests {
    @Test func `a host belongs to the folder of its app file, or to itself`() {
        #expect(TenantID(of: "a.example", folder: "a") == TenantID(folder: "a"))
        #expect(TenantID(of: "b.example", folder: "a") == TenantID(folder: "a"))
        #expect(TenantID(of: "a.example", folder: nil) != TenantID(of: "b.example", folder: nil))
        // A folder may have the name of a host.
        #expect(TenantID(of: "a.example", folder: nil) != TenantID(folder: "a.example"))
        #expect(TenantID(folder: "a").description == "a/")
    }
}
