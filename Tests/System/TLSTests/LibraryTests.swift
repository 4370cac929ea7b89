// OpenSSL when the process exits.

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TLS
@testable import TLSSupport

struct LibraryTests {
    @Test(arguments: 0..<4)
    func `a process can exit while other threads use the library`(turn: Int) async {
        await #expect(processExitsWith: .success) {
            Library.disableExitCleanup()
            let (folder, authority) = (try TemporaryFolder(permissions: 0o600), try TestAuthority.shared)
            let pair = try authority.issue(["a.example"])
            let certificate = try folder.write("fullchain.pem", pair.certificate + authority.intermediate)
            let key = try folder.write("privkey.pem", pair.key)
            let count = Atomic<Int>(0)
            for _ in 0..<4 {
                Thread.detachNewThread {
                    while (try? ServerIdentity(certificateFile: certificate, keyFile: key)) != nil {
                        count.add(1, ordering: .relaxed)
                    }
                }
            }
            while count.load(ordering: .relaxed) < 100 { sched_yield() }
            exit(0)
        }
    }
}
