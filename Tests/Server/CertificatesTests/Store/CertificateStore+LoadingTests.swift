// Files that change, break and disappear while they are in service.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct CertificateStoreLoadingTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test func `loads changed files`() throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.install("a.example", names: ["new.example", "a.example"])
        #expect(bench.answer(store, "a.example") == "new.example")
        #expect(bench.problems(store).isEmpty)
    }

    @Test func `does not check the files between two intervals, unless asked to`() throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 3_600_000)
        #expect(bench.answer(store, "a.example") == "a.example")
        #expect(bench.answer(store, "b.example") == "none")
        try bench.install("a.example", names: ["new.example", "a.example"])
        try bench.install("b.example", names: ["b.example"])
        #expect(bench.answer(store, "a.example") == "a.example")
        #expect(bench.answer(store, "b.example") == "none")
        store.invalidateAll()
        #expect(bench.answer(store, "a.example") == "new.example")
        #expect(bench.answer(store, "b.example") == "b.example")
    }

    @Test func `reads files later that could not be read for lack of descriptors`() async {
        // In a separate process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let bench = try StoreBench()
            try bench.install("a.example", names: ["a.example"])
            let store = bench.store(recheckMilliseconds: 0)
            guard starved(0, { bench.answer(store, "a.example") }) != "a.example" else { exit(4) }
            guard bench.answer(store, "a.example") == "a.example" else { exit(5) }
        }
    }

    /// The files are good, so a comparison that reads them would find their certificate.
    @Test func `does not read refused files again before they change`() throws {
        try bench.install("a.example", names: ["a.example"])
        let loader = CertificateLoader(CertificateTree(bench.hosts.path, links: .none))
        let folder = CertificateFolder(name: "a.example")
        let stamp = try #require(loader.stamp(of: folder))
        let refused = CertificateProblem(.malformedKey, file: "", "refused before", fix: "")
        guard case .same = loader.compare(folder, with: CertificateRecord(.broken(refused), stamp: stamp)) else {
            Issue.record("broken files were read again")
            return
        }
        var good = CertificateRecord(.identity(try bench.identity("a.example")), stamp: stamp &+ 1)
        good.apply(.found(stamp: stamp, .broken(refused)), host: nil, now: 0)
        guard case .found(stamp, .broken(let problem)) = loader.compare(folder, with: good) else {
            Issue.record("files that were refused before were read again")
            return
        }
        #expect(problem == refused)
        good.apply(.found(stamp: stamp &+ 2, .broken(refused)), host: nil, now: 0)
        guard case .found(stamp, .identity) = loader.compare(folder, with: good) else {
            Issue.record("changed files were not read")
            return
        }
    }

    @Test func `does not report a renewal that writes one file after the other`() throws {
        let (old, new) = (
            try bench.authority.issue(["a.example"]), try bench.authority.issue(["new.example", "a.example"])
        )
        try bench.install(old, "a.example")
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.hosts.write("a.example/privkey.pem", new.key)
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.install(new, "a.example")
        #expect(bench.answer(store, "a.example") == "new.example")
        #expect(bench.problems(store).isEmpty)
    }

    @Test func `keeps the last good pair when the files break, and reports it once`() throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.hosts.write("a.example/fullchain.pem", "half a cert")
        for _ in 0..<5 { #expect(bench.answer(store, "a.example") == "a.example") }
        #expect(bench.problems(store).map(\.kind) == [.malformedCertificate])
        for _ in 0..<3 { #expect(bench.answer(store, "a.example") == "a.example") }
        #expect(bench.problems(store).isEmpty)
        try bench.hosts.write("a.example/fullchain.pem", "another half")
        for _ in 0..<5 { #expect(bench.answer(store, "a.example") == "a.example") }
        #expect(store.register.drain().isEmpty, "the problem is open and already reported")
        #expect(store.register.problems(9).map(\.problem.kind) == [.malformedCertificate])
    }

    @Test(arguments: [["other.example"], []])
    func `keeps the last good pair when every client would reject the new one`(names: [String]) throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.install("a.example", names: names)
        for _ in 0..<3 { #expect(bench.answer(store, "a.example") == "a.example") }
        #expect(bench.problems(store).map(\.kind) == [.nameNotCovered])
    }

    @Test func `serves an expired certificate until there is a better one`() throws {
        try bench.install("a.example", names: ["a.example"], days: -1)
        let store = bench.store(recheckMilliseconds: 0)
        #expect(bench.answer(store, "a.example") == "a.example")
        #expect(bench.problems(store).map(\.kind) == [.expired])
        try bench.install("a.example", names: ["new.example", "a.example"])
        #expect(bench.answer(store, "a.example") == "new.example")
        try bench.install("a.example", names: ["old.example", "a.example"], days: -1)
        for _ in 0..<3 { #expect(bench.answer(store, "a.example") == "new.example") }
        #expect(bench.problems(store).map(\.kind) == [.expired])
    }

    @Test func `drops a removed certificate at the second check`() throws {
        try bench.install("a.example", names: ["a.example"])
        let store = bench.store(recheckMilliseconds: 0, serves: { _ in false })
        #expect(bench.answer(store, "a.example") == "a.example")
        try bench.hosts.remove("a.example")
        #expect(bench.answer(store, "a.example") == "a.example")
        #expect(bench.answer(store, "a.example") == "none")
        #expect(store.identityCount == 0)
    }

    @Test(arguments: [("a.example", "a.example", "a.example"), ("_wildcard.a.example", "*.a.example", "b.a.example")])
    func `a served host keeps its certificate when the files are removed, with an error until they are back`(
        folder: String, name: String, host: String
    ) throws {
        try bench.install(folder, names: [name])
        let serves = Shared(true)
        let store = bench.store(recheckMilliseconds: 0) { _ in serves.value }
        #expect(bench.answer(store, host) == name)
        let files = try ["fullchain.pem", "privkey.pem"].map { try bench.hosts.bytes("\(folder)/\($0)") }
        for _ in 0..<2 {
            try bench.hosts.remove(folder)
            for _ in 0..<4 { #expect(bench.answer(store, host) == name) }
            #expect(bench.problems(store).map(\.kind) == [.filesGone], "reported once")
            #expect(store.register.problems(9).map(\.problem.file) == ["\(bench.hosts.path)/\(folder)/fullchain.pem"])
            try bench.hosts.write("\(folder)/fullchain.pem", files[0])
            try bench.hosts.write("\(folder)/privkey.pem", files[1])
            #expect(bench.answer(store, host) == name)
            #expect(store.register.problems(9).isEmpty)
            #expect(store.register.drain().ended.map(\.file) == ["\(bench.hosts.path)/\(folder)/fullchain.pem"])
        }
        try bench.hosts.remove(folder)
        for _ in 0..<2 { #expect(bench.answer(store, host) == name) }
        serves.change { $0 = false }
        _ = store.survey([])
        #expect(bench.answer(store, host) == "none")
        #expect(store.register.problems(9).isEmpty)
    }

    @Test(arguments: ["_wildcard.example", "_default"])
    func `a host whose files are removed uses another certificate that covers it`(other: String) throws {
        for (names, isMoved) in [(["*.example"], true), (["other.test"], false)] {
            try bench.install("a.example", names: ["a.example"])
            try bench.install(other, names: names)
            let store = bench.store(recheckMilliseconds: 0)
            #expect(bench.answer(store, "a.example") == "a.example")
            _ = bench.problems(store)
            try bench.hosts.remove("a.example")
            for _ in 0..<3 { _ = bench.answer(store, "a.example") }
            #expect(bench.answer(store, "a.example") == (isMoved ? "*.example" : "a.example"))
            #expect(store.register.problems(9).contains { $0.problem.kind == .filesGone } == !isMoved)
        }
    }
}
