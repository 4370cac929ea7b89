// Children: what they are given, how they report, and how they end. In processes of their own, which have no other children.

import Foundation
import Testing

@testable import Posix

struct ChildProcessTests {
    @Test func `a child gets its descriptors and its variable, and reports its status`() async {
        await #expect(processExitsWith: .success) {
            ChildProcess.keepEnds()
            let reports = try ChildReports()
            let kept = try ChildReports()
            let script =
                "test \"$WORD\" = a_b && ! test -e /proc/self/fd/\(kept.childDescriptor) && "
                + "printf 'STATUS=%s\\n' \"$(cut -d ' ' -f 5 /proc/self/stat)\" && exit 7"
            // As standard output, which a descriptor under its own number is too.
            guard dup2(reports.childDescriptor, 1) == 1 else { exit(2) }
            let process = try ChildProcess.start(
                "/bin/sh", ["sh", "-c", script], descriptors: [1], variable: ("WORD", "a_b"), blocked: [SIGTERM],
                reports: reports)
            // Blocked, so it does not end the child.
            ChildProcess.send(SIGTERM, to: process)
            var end: (process: Int32, end: ChildProcess.End)?
            while end == nil { end = ChildProcess.reap() }
            guard end?.process == process, end?.end == .status(7), getenv("WORD") == nil else { exit(3) }
            guard case .state(.serving(let group)) = reports.next(), reports.next() == nil else { exit(4) }
            exit(Int32(group) == getpgrp() ? 5 : 0)
        }
    }

    @Test func `distinguishes a child that a signal ends from one that exits`() async {
        await #expect(processExitsWith: .success) {
            let process = try ChildProcess.start(
                "/bin/sleep", ["sleep", "1000"], descriptors: [], variable: ("A", "b"), blocked: [],
                reports: ChildReports())
            ChildProcess.send(SIGABRT, to: process)
            var end: (process: Int32, end: ChildProcess.End)?
            while end == nil { end = ChildProcess.reap() }
            exit(end?.end == .signal(SIGABRT) && ChildProcess.reap() == nil ? 0 : 1)
        }
    }

    @Test(arguments: [("/nonexistent", ENOENT), ("/proc/version", EACCES), ("/", EACCES)])
    func `a child reports why its program cannot be started`(path: String, number: Int32) async {
        await #expect(processExitsWith: .success) { [path, number] in
            let reports = try ChildReports()
            let process = try ChildProcess.start(
                path, [], descriptors: [], variable: ("A", "b"), blocked: [], reports: reports)
            var end: (process: Int32, end: ChildProcess.End)?
            while end == nil { end = ChildProcess.reap() }
            guard end?.process == process, end?.end == .status(127) else { exit(2) }
            guard case .notStarted(SystemError(call: "execve", number: number)) = reports.next() else { exit(3) }
            exit(reports.next() == nil ? 0 : 4)
        }
    }

    @Test func `signals have names`() {
        #expect(ChildProcess.name(ofSignal: SIGSEGV) == "SIGSEGV")
        #expect(ChildProcess.name(ofSignal: 63) == "signal 63")
    }

    @Test(arguments: [
        SystemdNotifier.State.ready(status: "serving 2 apps"), .serving(status: ""), .serving(status: "a\nREADY=1\nb"),
        .serving(status: String(repeating: "ü", count: 5_000)), .reloading, .alive, .stopping,
    ])
    func `reads a report as it was written`(state: SystemdNotifier.State) throws {
        let text = SystemdNotifier.text(state)
        let read = try #require(SystemdNotifier.State(parsing: Array(text.utf8)[...]))
        // The time of a reload is that of the text.
        if case .reloading = state { return }
        #expect(SystemdNotifier.text(read) == text)
    }

    @Test(arguments: [
        "", "\n", "READY=1", "READY=1\n", "READY=2\nSTATUS=a\n", "READY=1\nSTATUS=a\nSTATUS=b\n", "MAINPID=1\n",
        "WATCHDOG=1", "WATCHDOG=trigger\n", "WATCHDOG=1\nFDSTORE=1\n", "STOPPING=1\nSTATUS=a\n", "STATUS=a\u{1B}[2J\n",
        "RELOADING=1\n", "RELOADING=1\nMONOTONIC_USEC=x\n", "RELOADING=1\nMONOTONIC_USEC=-1\n", "STATUS=a\nREADY=1\n",
        "STATUS=\(String(repeating: "a", count: 1_024))\n",
        "ERRNO=002\n",
    ])
    func `drops a report of unknown form`(text: String) {
        #expect(SystemdNotifier.State(parsing: Array(text.utf8)[...]) == nil)
    }

    @Test func `a child takes what its parent tells, one line after the other`() throws {
        let reports = try ChildReports()
        let notifier = SystemdNotifier(takingOwnershipOf: dup(reports.childDescriptor), watchdogMilliseconds: nil)
        #expect(notifier.nextNews() == nil)
        for news in ["exited with status 1: a\nb", "", String(repeating: "ü", count: 5_000)] { reports.tell(news) }
        #expect(notifier.nextNews() == "exited with status 1: a b")
        #expect(notifier.nextNews() == "")
        #expect(notifier.nextNews() == String(repeating: "ü", count: 500))
        // A child that takes nothing does not hold its parent up.
        for _ in 0..<10_000 { reports.tell("a") }
        #expect(notifier.nextNews() == "a")
    }

    @Test func `drops a report that is too long or not text, and reads the next one`() throws {
        let reports = try ChildReports()
        let flood = [UInt8](repeating: 0x41, count: 100_000)
        for message in [flood, [], [0xFF, 0x0A], Array("WATCHDOG=1\n".utf8)] {
            #expect(send(reports.childDescriptor, message, message.count, 0) == message.count)
        }
        var reads: [Bool] = []
        while let report = reports.next() {
            if case .state(.alive) = report { reads.append(true) } else { reads.append(false) }
        }
        #expect(reads == [false, false, false, true])
    }
}
