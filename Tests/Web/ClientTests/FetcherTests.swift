// The time limit of a whole fetch.

import Foundation
import Posix
import TLS
import TestSupport
import Testing

@testable import Client

struct FetcherTests {
    /// Fetches with a limit of a third of a second; returns the result and the elapsed milliseconds.
    private func fetch(_ bytes: [UInt8], isSecure: Bool) throws -> (Result<FetchedResponse, FetchError>, Int64) {
        let server = try DrippingServer(bytes)
        var limits = FetchLimits()
        limits.milliseconds = 300
        let fetcher = Fetcher(try ClientContext(authorityFile: nil))
        let start = Clock.monotonicMilliseconds()
        let outcome = fetcher.fetch(
            FetchRequest(
                host: "shop.example", hostField: "shop.example", address: server.address, isSecure: isSecure, path: "/",
                userAgent: "test", limits: limits))
        return (outcome, Clock.monotonicMilliseconds() - start)
    }

    /// In such small pieces, the data would take ten seconds or more.
    @Test(
        arguments: [
            // A handshake record of 16,000 bytes.
            ([0x16, 0x03, 0x03, 0x40, 0x00, 0x02], true), (Array("HTTP/1.1 200 OK\r\nx: y".utf8), false),
            (Array("HTTP/1.1 200 OK\r\ncontent-length: 16000\r\n\r\n{".utf8), false),
            (Array("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4000\r\n{".utf8), false),
        ] as [([UInt8], Bool)])
    func `a server that sends single bytes has the same time limit`(bytes: [UInt8], isSecure: Bool) throws {
        let (outcome, milliseconds) = try fetch(bytes, isSecure: isSecure)
        let error = #expect(throws: FetchError.self) { try outcome.get() }
        #expect(error?.isTimeOut == true)
        #expect(milliseconds < 3_000)
    }

    @Test func `sends the given Host field`() throws {
        let heads = Shared<[String]>([])
        let server = try ScriptedServer(certificates: nil) { head in
            heads.change { $0.append(head) }
            return .text("HTTP/1.1 204 No Content\r\n\r\n")
        }
        let fetcher = Fetcher(try ClientContext(authorityFile: nil))
        _ = fetcher.fetch(
            FetchRequest(
                host: "shop.example", hostField: "shop.example:8080", address: server.address, isSecure: false,
                path: "/a?b", userAgent: "test"))
        let lines = heads.value.first?.components(separatedBy: "\r\n") ?? []
        #expect(lines.first == "GET /a?b HTTP/1.1")
        #expect(lines.contains("Host: shop.example:8080"))
        #expect(lines.contains("User-Agent: test"))
    }
}
