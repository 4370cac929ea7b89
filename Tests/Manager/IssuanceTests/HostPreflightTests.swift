// The preflight with the network: its time limit.

import Glibc
import Posix
import Store
import Synchronization
import Testing

@testable import DNS
@testable import Issuance

struct HostPreflightTests {
    @Test func `name servers that do not answer cost a limited time`() throws {
        let server = try SilentNameServer()
        var rules = IssuanceRules(directories: [])
        rules.resolver.servers = [server.address]
        rules.preflightMilliseconds = 100
        let start = Clock.monotonicMilliseconds()
        let report = HostPreflight(rules, "thumbprint", nil).report("shop.example.com")
        #expect(report.areNameServersSilent == true)
        // The limits of the two lookups alone are 12 seconds.
        #expect(Clock.monotonicMilliseconds() - start < 10_000)
        #expect(
            report.problem
                == .dns(
                    "cannot look up A of shop.example.com: no name server answered in time; "
                        + "no certificate is ordered until that works"))
    }
}

struct NameServerSilenceTests {
    @Test func `name servers are called silent after several hosts in a row, once, until one answers`() throws {
        let lines = Mutex<[String]>([])
        let control = try WorkControl(workerCount: 1) { level, text in
            lines.withLock { $0.append("\(level) \(text)") }
        }
        let issuance = IssuanceStatus(control)
        func note(_ looks: [Bool]) -> [String] {
            for areSilent in looks { issuance.noteNameServers(areSilent: areSilent) }
            return lines.exchange([]).map { String($0.prefix { $0 != "," }) }
        }
        let (silent, back) = (
            "error no name server of this machine answers", "info the name servers of this machine answer again"
        )
        #expect(note([true, true, false, true, true]) == [])
        #expect(note([true]) == [silent])
        #expect(note([true, true]) == [])
        #expect(note([false, false]) == [back])
        #expect(note([true, true, true, false]) == [silent, back])
    }
}

/// A socket that receives questions and answers none.
private final class SilentNameServer {
    private let number: Int32
    let address: SocketAddress

    init() throws {
        var local = sockaddr_in()
        (local.sin_family, local.sin_addr.s_addr) = (sa_family_t(AF_INET), in_addr_t(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        let isBound = withUnsafeMutablePointer(to: &local) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, length) == 0 && getsockname(number, $0, &length) == 0
            }
        }
        try #require(isBound)
        self.number = number
        address = try #require(SocketAddress("127.0.0.1:\(UInt16(bigEndian: local.sin_port))"))
    }

    deinit { close(number) }
}
