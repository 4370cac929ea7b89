// Which new versions of app files are admitted: from texts alone, without a disk.

import Association
import Testing

@testable import Hosting
@testable import Posix

/// App files as they were and as they are, as values.
struct AppPlay {
    private(set) var memory = TenantMemory()
    private(set) var scan = Scan()
    private let source = AppSource(configPath: "config", environment: nil)

    /// The text of an app file; a name stands for the id of its app.
    static func text(_ hosts: [String], _ ids: [String], more: String = "") -> String {
        "{ name: \"App\", hosts: \(hosts), ios: { appIDs: \(ids.map { "8KQ2V7M4XN.dev.\($0)" }) }, "
            + "links: [{ \"/\": \"/x/?*\" }], \(more) }"
    }

    private func read(_ path: String, _ text: String?) -> FileReading {
        let status = FileStatus(
            isRegular: true, permissions: 0o644, device: 1, inode: 1, byteCount: 1, modifiedNanoseconds: 0,
            changedNanoseconds: 0)
        let outcome = text.map {
            AppTree.Outcome.contents(
                SettledContents(bytes: Array($0.utf8), status: status, readNanoseconds: 1_000_000_000))
        }
        return FileReading(path, outcome ?? .gone, known: nil, source)
    }

    /// A file that is served.
    mutating func serve(_ path: String, _ text: String) {
        guard case .candidate(let candidate) = read(path, text).outcome, let good = candidate.good else {
            preconditionFailure("\(path) is to be good")
        }
        memory.ledger.put(AppRecord(mark: nil, standing: .current, good: good), at: path)
    }

    /// What is there now; nil when nothing is.
    mutating func find(_ path: String, _ text: String?, isChanged: Bool = true) {
        var reading = read(path, text)
        reading.compare(with: memory.ledger[path]?.good, source, notesAdded: true)
        scan.add([reading], knowing: memory)
        if isChanged { scan.changed.insert(path) }
    }

    mutating func retire(_ path: String) { scan.retired.paths.insert(path) }

    /// A host's own folders.
    mutating func own(_ host: String, isNew: Bool = false) {
        let record = FolderRecord(wellKnown: 1, pages: nil)
        if isNew { scan.folders[host] = record } else { memory.folders[host] = record }
        if isNew { scan.hosts.insert(host) }
    }

    var admission: Admission { Admission(scan, knowing: memory, source: source) }
}

struct AdmissionTests {
    private typealias Texts = KeyValuePairs<String, String?>

    private static let both = AppPlay.text(["a.example", "b.example"], ["one", "two"])

    /// What is served, what is there now, and the files that are not admitted.
    private static let changes: [(before: Texts, now: Texts, AppRecord.Standing?)] = [
        (["f": both], ["f": AppPlay.text(["a.example", "b.example"], ["two", "one", "three"])], nil),
        (["f": both], ["f": AppPlay.text(["a.example", "b.example"], ["one"])], .held),
        (["f": both], ["f": AppPlay.text(["a.example"], ["one", "two"])], .held),
        (["f": both], ["f": nil], .gone),
        (["f": both], ["f": "{"], .broken),
        (["f": both], ["f": AppPlay.text(["a.example"], ["one"], more: "guard: \"off\"")], nil),
        (["f": both], ["f": AppPlay.text(["a.example"], ["one"], more: "guard: \"warn\"")], nil),
        (["f": AppPlay.text(["a.example"], ["one"], more: "guard: \"off\"")], ["f": nil], nil),
        // Gone on purpose, as the file itself says or another one that has the host.
        (
            ["f": both],
            [
                "f": AppPlay.text(
                    ["a.example"], ["one"],
                    more: #"retired: { hosts: ["b.example"], appIDs: ["8KQ2V7M4XN.dev.two"] }"#)
            ], nil
        ),
        (
            ["f": both],
            [
                "f": nil,
                "g": AppPlay.text(
                    ["a.example", "b.example"], ["one"], more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.two"] }"#),
            ], nil
        ),
        // Another file retires it for its own hosts alone.
        (
            ["f": both],
            [
                "f": AppPlay.text(["a.example", "b.example"], ["one"]),
                "g": AppPlay.text(["a.example"], ["one"], more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.two"] }"#),
            ], .held
        ),
        // Taken over by another file, or not.
        (["f": both], ["f": nil, "g": both], nil),
        (["f": both], ["f": AppPlay.text(["a.example"], ["one", "two"]), "g": both], nil),
        (["f": both], ["f": nil, "g": AppPlay.text(["a.example", "b.example"], ["one"])], .gone),
        (["f": both], ["f": nil, "g": "{"], .gone),
        // What takes over must not be held itself.
        (["f": both, "g": AppPlay.text(["c.example"], ["one"])], ["f": nil, "g": both], .gone),
    ]

    @Test(arguments: changes.indices) func `what drops live facts is not admitted`(index: Int) {
        let (before, now, standing) = AdmissionTests.changes[index]
        var play = AppPlay()
        for (path, text) in before { play.serve(path, text ?? "") }
        for (path, text) in now { play.find(path, text) }
        var admission = play.admission
        admission.guardRemovals()
        let decision = admission.decision()
        #expect(decision.verdicts["f"]?.standing == standing)
        #expect((decision.verdicts["f"]?.guardedCount ?? 0 > 0) == (standing == .held || standing == .gone))
    }

    @Test func `a file that is gone is let go when it was moved to the retired ones`() {
        var play = AppPlay()
        play.serve("f", AdmissionTests.both)
        play.find("f", nil)
        play.retire("f")
        var admission = play.admission
        admission.guardRemovals()
        let decision = admission.decision()
        #expect(decision.verdicts.isEmpty)
    }

    @Test func `a file that may only warn is admitted with a finding, however often it is weighed`() {
        var play = AppPlay()
        play.serve("f", AdmissionTests.both)
        play.find("f", AppPlay.text(["a.example"], ["one"], more: "guard: \"warn\""))
        var admission = play.admission
        for _ in 0..<2 { admission.guardRemovals() }
        #expect(admission.scan.candidates["f"]?.findings.map(\.rule) == [.app042])
    }

    /// The host that fails, which of the files have changed, the files that are rejected, and whether the host stays as it is.
    @Test(arguments: [
        ("a.example", ["f", "g"], ["f"], false), ("new.example", ["f", "g"], ["g"], false),
        ("c.example", ["f", "g"], [], true), ("shared.example", ["f", "g"], ["f", "g"], false),
        ("shared.example", ["f"], ["g"], false), ("x.w.example", ["f", "g"], ["g"], false),
    ])
    func `a file is rejected for the host that fails with it`(
        host: String, changed: [String], rejected: [String], isStale: Bool
    ) {
        var play = AppPlay()
        play.serve("f", AppPlay.text(["a.example"], ["one"]))
        play.serve("h", AppPlay.text(["c.example"], ["one"]))
        play.find("f", AppPlay.text(["a.example", "shared.example"], ["one"]), isChanged: changed.contains("f"))
        play.find(
            "g", AppPlay.text(["new.example", "shared.example", "*.w.example"], ["one"]),
            isChanged: changed.contains("g"))
        var admission = play.admission
        let reason = Finding(rule: .app034, severity: .error, file: "f", range: nil, message: "m", fix: nil)
        let isAgain = admission.reject([host: [reason]])
        #expect(isAgain == !rejected.isEmpty)
        let decision = admission.decision()
        #expect(decision.verdicts.filter { $0.value.standing == .refused }.keys.sorted() == rejected)
        #expect(decision.stale == (isStale ? [host] : []))
        for path in rejected { #expect(decision.scan.candidates[path]?.findings.last == reason) }
        #expect(decision.verdicts.values.allSatisfy { $0.awaited.contains(host) })
    }

    @Test func `a rejected file gives back what it took over, so the one that let it go is held`() {
        var play = AppPlay()
        play.serve("f", AdmissionTests.both)
        play.find("f", AppPlay.text(["a.example"], ["one", "two"]))
        play.find("g", AdmissionTests.both)
        var admission = play.admission
        admission.guardRemovals()
        #expect(admission.isAdmitted("f") && admission.isAdmitted("g"))
        play.find("g", "{")
        admission = play.admission
        admission.guardRemovals()
        let decision = admission.decision()
        #expect(decision.verdicts.mapValues(\.standing) == ["f": .held, "g": .broken])
    }

    @Test func `what a file adds is what no other made live before`() {
        var play = AppPlay()
        play.serve("f", AdmissionTests.both)
        play.find("g", AppPlay.text(["a.example"], ["one", "three"]))
        var admission = play.admission
        let decision = admission.decision()
        #expect(decision.added["g"] == [LiveIdentity(host: "a.example", kind: .appID, text: "8KQ2V7M4XN.dev.three")])
    }
}
