// What the kernel reports about a directory: the names and the kinds of event.

import Foundation
import TestSupport
import Testing

@testable import Posix

struct WatchTests {
    private let root: TemporaryFolder
    private var path: String { root.path }

    init() throws { root = try TemporaryFolder() }

    @Test func `reports each name that was written, added or removed`() throws {
        let watch = try Watch()
        let number = try watch.add(path)
        #expect(try watch.add(path) == number)
        #expect(watch.takeEvents().isEmpty)
        try root.write("a", "1")
        var events = watch.takeEvents()
        // A process that another test starts may have the file open for a moment longer.
        let end = Clock.monotonicMilliseconds() + 10_000
        while events.last?.isCreation == true, Clock.monotonicMilliseconds() < end { events += watch.takeEvents() }
        #expect(Set(events.map(\.name)) == ["a"])
        #expect(events.first?.isCreation == true)
        #expect(events.last?.isCreation == false, "the end of writing is reported too")
        #expect(events.allSatisfy { $0.directory == number && !$0.isFolder })
        #expect(rename("\(path)/a", "\(path)/b") == 0)
        #expect(watch.takeEvents().map(\.name) == ["a", "b"])
        try root.makeFolder("folder")
        events = watch.takeEvents()
        #expect(events.map(\.name) == ["folder"])
        #expect(events.allSatisfy { $0.isFolder })
        chmod("\(path)/b", 0o600)
        #expect(watch.takeEvents().map(\.name) == ["b"])
        try root.remove("b")
        #expect(watch.takeEvents().map(\.name).contains("b"))
    }

    @Test func `reports that a directory was moved or removed`() throws {
        let watch = try Watch()
        let number = try watch.add(path)
        #expect(rename(path, path + "-2") == 0)
        #expect(watch.takeEvents().contains { $0.directory == number && $0.isMoveOfDirectory })
        try FileManager.default.removeItem(atPath: path + "-2")
        #expect(watch.takeEvents().contains { $0.directory == number && $0.isEnd })
        watch.remove(number)
    }

    @Test func `takes a limited number of events at a time, and equal ones once`() throws {
        let watch = try Watch()
        _ = try watch.add(path)
        try root.write("a", "")
        try root.write("b", "")
        while !watch.takeEvents().isEmpty {}
        // Each event has 32 bytes.
        for _ in 0..<Watch.bytesMax / 64 {
            #expect(rename("\(path)/a", "\(path)/c") == 0)
            #expect(rename("\(path)/c", "\(path)/a") == 0)
        }
        // Of each name, that it came and went.
        for _ in 0..<2 { #expect(watch.takeEvents().count == 4) }
        chmod("\(path)/b", 0o600)
        #expect(watch.takeEvents().map(\.name) == ["b"])
    }

    @Test func `fails for a missing directory`() throws {
        let watch = try Watch()
        let error = #expect(throws: SystemError.self) { _ = try watch.add(path + "/none") }
        #expect(error?.isMissing == true)
        try root.write("file", "")
        #expect(throws: SystemError.self) { _ = try watch.add(path + "/file") }
    }
}
