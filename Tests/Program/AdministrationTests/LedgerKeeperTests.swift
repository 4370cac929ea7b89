// The thread that maintains the ledger: workers' fetches arrive, are saved, and survive the process.

import Foundation
import Posix
import Telemetry
import Testing

@testable import Administration

struct LedgerKeeperTests {
    private final class Bench {
        let folder = NSTemporaryDirectory() + "ledger\(UInt32.random(in: .min ... .max))/state"
        var path: String { "\(folder)/verifiers" }

        func start(_ metrics: WorkerMetrics, saveMilliseconds: Int64 = 60_000) throws -> (VerifierLedger, LedgerKeeper)
        {
            let ledger = VerifierLedger(nowSeconds: Samples.now) { $0 }
            return (ledger, try LedgerKeeper(ledger, metrics, folder: folder, saveMilliseconds: saveMilliseconds))
        }

        deinit { try? FileManager.default.removeItem(atPath: (folder as NSString).deletingLastPathComponent) }
    }

    private func see(_ metrics: WorkerMetrics, _ worker: Int, _ host: String, at seconds: Int64) {
        Array(host.utf8).withUnsafeBytes { host in
            metrics.recorder(worker).note(
                VerifierFetch(
                    .appleCDN, .appleAssociation, status: 200, host: host,
                    entityTag: UnsafeRawBufferPointer(start: nil, count: 0), seconds: seconds))
        }
    }

    @Test func `keeps the last fetches over a restart`() throws {
        let bench = Bench()
        let metrics = WorkerMetrics(workerCount: 2)
        let (_, keeper) = try bench.start(metrics)
        see(metrics, 0, "a.example", at: Samples.now - 5)
        see(metrics, 1, "b.example", at: Samples.now - 4)
        keeper.stop()
        #expect(keeper.takeWarnings().isEmpty)
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let (ledger, next) = try bench.start(WorkerMetrics(workerCount: 2))
        #expect(ledger.records(of: "a.example").map(\.lastSeconds) == [Samples.now - 5])
        #expect(ledger.records(of: "b.example").map(\.count) == [1])
        #expect(next.takeWarnings().isEmpty)
        next.stop()
    }

    @Test func `writes while the server runs, so that a killed one loses little`() throws {
        let bench = Bench()
        let metrics = WorkerMetrics(workerCount: 1)
        let (_, keeper) = try bench.start(metrics, saveMilliseconds: 1)
        see(metrics, 0, "a.example", at: Samples.now)
        while LedgerFile((try? File.read(bench.path, bytesMax: 10_000).bytes) ?? [])?.records["a.example"] == nil {
            sched_yield()
        }
        keeper.stop()
    }

    @Test func `reports a damaged file and replaces it`() throws {
        let bench = Bench()
        try FileManager.default.createDirectory(atPath: bench.folder, withIntermediateDirectories: true)
        try Data("associated verifiers 1 5\nend 0 0000000000000000\n".utf8).write(to: URL(fileURLWithPath: bench.path))
        let metrics = WorkerMetrics(workerCount: 1)
        let (ledger, keeper) = try bench.start(metrics)
        #expect(
            keeper.takeWarnings() == [
                "ignoring \(bench.path): it is damaged; verifier fetches are recorded from now on"
            ])
        #expect(ledger.beganSeconds == Samples.now)
        see(metrics, 0, "a.example", at: Samples.now)
        keeper.stop()
        #expect(LedgerFile(try File.read(bench.path, bytesMax: 10_000).bytes)?.records.keys.sorted() == ["a.example"])
    }

    @Test func `does not count fetches again when the file was replaced but not synced`() throws {
        let bench = Bench()
        let metrics = WorkerMetrics(workerCount: 1)
        let ledger = VerifierLedger(nowSeconds: Samples.now) { $0 }
        let keeper = try LedgerKeeper(ledger, metrics, folder: bench.folder, saveMilliseconds: 1) {
            folder, contents, placed throws(SystemError) in
            try File.replaceDurably(LedgerFile.name, in: folder, permissions: 0o600, contents: contents, placed: placed)
            throw SystemError(call: "fsync", number: EIO)
        }
        see(metrics, 0, "a.example", at: Samples.now)
        let end = Clock.monotonicMilliseconds() + 60_000
        while ledger.figures.failures < 3, Clock.monotonicMilliseconds() < end { sched_yield() }
        keeper.stop()
        #expect(ledger.records(of: "a.example").map(\.count) == [1])
        let file = try #require(LedgerFile(try File.read(bench.path, bytesMax: 10_000).bytes))
        #expect(file.records["a.example"]?.map(\.count) == [1])
        // It writes again until the file is on disk.
        #expect(ledger.hasUnsaved)
        #expect(keeper.problem?.reason == "input/output error")
    }

    @Test func `writes nothing without the lock of the folder`() throws {
        let bench = Bench()
        try Directory.createPrivate(bench.folder)
        let other = try FileLock.take("\(bench.folder)/lock")
        let metrics = WorkerMetrics(workerCount: 1)
        let keeper = try LedgerKeeper(
            VerifierLedger(nowSeconds: Samples.now) { $0 }, metrics, folder: bench.folder,
            lock: LateLock("\(bench.folder)/lock"))
        see(metrics, 0, "a.example", at: Samples.now)
        keeper.stop()
        #expect(keeper.problem?.number == EWOULDBLOCK && !File.exists(bench.path))
        _ = consume other
    }

    @Test func `reports a folder that cannot be written, without other effects`() throws {
        let bench = Bench()
        // A file in place of the folder: even root cannot create a directory there.
        let parent = (bench.folder as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: bench.folder))
        let metrics = WorkerMetrics(workerCount: 1)
        let (ledger, keeper) = try bench.start(metrics, saveMilliseconds: 1)
        see(metrics, 0, "a.example", at: Samples.now)
        while ledger.figures.failures < 2 { sched_yield() }
        keeper.stop()
        #expect(keeper.problem?.reason == "not a directory")
        #expect(keeper.takeWarnings().isEmpty)
        #expect(!ledger.records(of: "a.example").isEmpty)
    }
}
