// Replays what is kept in Fuzzing/: the corpora that fuzzing starts from, and every input that once broke something. What
// libFuzzer found stays found, in the ordinary tests, without libFuzzer.

import Foundation
public import Testing

/// One after the other: targets that read files share a place for them.
@Suite(.serialized) struct FuzzingTests {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Fuzzing")
        .standardizedFileURL

    /// The files kept for a target, by their paths below Fuzzing/.
    private static func kept(_ target: FuzzTarget) throws -> [(path: String, bytes: [UInt8])] {
        try ["Corpora", "Regressions"].flatMap { kind in
            let folder = root.appendingPathComponent("\(kind)/\(target.name)")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return try names.sorted().map { name in
                ("\(kind)/\(target.name)/\(name)", Array(try Data(contentsOf: folder.appendingPathComponent(name))))
            }
        }
    }

    @Test(arguments: FuzzTarget.all)
    func `everything that is kept passes`(target: FuzzTarget) throws {
        for (path, bytes) in try Self.kept(target) {
            do { try target.check(bytes) } catch { Issue.record("\(path): \(error)") }
        }
    }

    /// Damage of the simplest kinds, which meets most of the states of a reader without any search.
    @Test(arguments: FuzzTarget.all)
    func `no piece of what is kept breaks it, nor a byte that is another`(target: FuzzTarget) throws {
        for (path, bytes) in try Self.kept(target) {
            let step = max(1, bytes.count / 4)
            for place in stride(from: 0, to: bytes.count, by: step) {
                var other = bytes
                other[place] = bytes[place] &+ UInt8(truncatingIfNeeded: 1 + place * 37)
                for damaged in [Array(bytes[..<place]), Array(bytes[place...]), other] {
                    do { try target.check(damaged) } catch { Issue.record("\(path) at \(place): \(error) \(damaged)") }
                }
            }
        }
    }

    @Test func `each target starts from something, and every folder belongs to a target`() throws {
        let names = Set(FuzzTarget.all.map(\.name))
        #expect(names.count == FuzzTarget.all.count)
        for target in FuzzTarget.all { #expect(try !Self.kept(target).isEmpty, "\(target.name) has no corpus") }
        for (kind, ending) in [("Corpora", ""), ("Regressions", ""), ("Dictionaries", ".dict")] {
            let known = Set(names.map { $0 + ending })
            let found = try FileManager.default.contentsOfDirectory(atPath: Self.root.appendingPathComponent(kind).path)
            #expect(Set(found).isSubset(of: known), "\(kind) has files of no target")
        }
    }

    /// The form that libFuzzer reads: one quoted word a line, with escapes for what cannot be seen. It skips longer words.
    @Test(arguments: FuzzTarget.all)
    func `a dictionary has words that the engine takes`(target: FuzzTarget) throws {
        let path = Self.root.appendingPathComponent("Dictionaries/\(target.name).dict")
        guard let text = try? String(contentsOf: path, encoding: .utf8) else { return }
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count > 10)
        for line in lines {
            let word = line.wholeMatch(of: /"((?:[^"\\]|\\["\\]|\\x[0-9A-F]{2})+)"/)?.1
            let count = word?.matches(of: /\\x..|\\.|./).count
            #expect(count.map { $0 <= 64 } == true, "\(line)")
        }
    }

    @Test func `a complaint is not lost`() {
        let target = FuzzTarget(name: "none", summary: "none") { try demand($0.isEmpty, "there is something") }
        #expect(throws: Never.self) { try target.check([]) }
        #expect(throws: Complaint.self) { try target.check([1]) }
    }
}

extension FuzzTarget: CustomTestStringConvertible { public var testDescription: String { name } }
