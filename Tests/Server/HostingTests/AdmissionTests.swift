// Which new versions of app files are admitted, decided from texts without a disk.

import Testing

@testable import Association
@testable import AssociationLint
@testable import Hosting
@testable import Posix

/// App files before and after a change, as values.
struct AppFileChanges {
    private(set) var memory = TenantMemory()
    private(set) var scan = Scan()
    private let source = AppSource(configPath: "config", environment: nil)

    /// The text of an app file; `name` also becomes the id of its app.
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

    /// A file in service.
    mutating func serve(_ path: String, _ text: String) {
        guard case .candidate(let candidate) = read(path, text).outcome, let good = candidate.good else {
            preconditionFailure("\(path) is to be good")
        }
        memory.appFiles.put(AppRecord(mark: nil, state: .current, good: good), at: path)
    }

    /// The file on disk; nil if it was deleted.
    mutating func find(_ path: String, _ text: String?, isChanged: Bool = true) {
        var reading = read(path, text)
        reading.compare(with: memory.appFiles[path]?.good, source, notesAdded: true)
        do { try scan.add([reading], knowing: memory) } catch { preconditionFailure("\(error)") }
        if isChanged { scan.changed.insert(path) }
    }

    mutating func retire(_ path: String) { scan.retired.files[path] = path }

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

    private static let both = AppFileChanges.text(["a.example", "b.example"], ["one", "two"])

    /// What is in service, what is on disk, and the files that are not admitted.
    private static let changes: [(before: Texts, now: Texts, AppRecord.State?)] = [
        (["f": both], ["f": AppFileChanges.text(["a.example", "b.example"], ["two", "one", "three"])], nil),
        (["f": both], ["f": AppFileChanges.text(["a.example", "b.example"], ["one"])], .held),
        (["f": both], ["f": AppFileChanges.text(["a.example"], ["one", "two"])], .held),
        (["f": both], ["f": nil], .gone), (["f": both], ["f": "{"], .broken),
        (["f": both], ["f": AppFileChanges.text(["a.example"], ["one"], more: "guard: \"off\"")], nil),
        (["f": both], ["f": AppFileChanges.text(["a.example"], ["one"], more: "guard: \"warn\"")], nil),
        (["f": AppFileChanges.text(["a.example"], ["one"], more: "guard: \"off\"")], ["f": nil], nil),
        // Retired by the file itself, or by another file of the host.
        (
            ["f": both],
            [
                "f": AppFileChanges.text(
                    ["a.example"], ["one"], more: #"retired: { hosts: ["b.example"], appIDs: ["8KQ2V7M4XN.dev.two"] }"#)
            ], nil
        ),
        (
            ["f": both],
            [
                "f": nil,
                "g": AppFileChanges.text(
                    ["a.example", "b.example"], ["one"], more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.two"] }"#),
            ], nil
        ),
        // Another file can retire entries of its own hosts only.
        (
            ["f": both],
            [
                "f": AppFileChanges.text(["a.example", "b.example"], ["one"]),
                "g": AppFileChanges.text(["a.example"], ["one"], more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.two"] }"#),
            ], .held
        ),
        // Taken over by another file, or not.
        (["f": both], ["f": nil, "g": both], nil),
        (["f": both], ["f": AppFileChanges.text(["a.example"], ["one", "two"]), "g": both], nil),
        (["f": both], ["f": nil, "g": AppFileChanges.text(["a.example", "b.example"], ["one"])], .gone),
        (["f": both], ["f": nil, "g": "{"], .gone),
        // The file that takes over must be admitted itself.
        (["f": both, "g": AppFileChanges.text(["c.example"], ["one"])], ["f": nil, "g": both], .gone),
    ]

    @Test(arguments: changes.indices) func `a version that removes live entries is not admitted`(index: Int) {
        let (before, now, state) = AdmissionTests.changes[index]
        var files = AppFileChanges()
        for (path, text) in before { files.serve(path, text ?? "") }
        for (path, text) in now { files.find(path, text) }
        var admission = files.admission
        admission.guardRemovals()
        let decision = admission.decision()
        #expect(decision.verdicts["f"]?.state == state)
        #expect((decision.verdicts["f"]?.guardedCount ?? 0 > 0) == (state == .held || state == .gone))
    }

    @Test(arguments: changes.indices) func `the preview of a change names the files that are held`(index: Int) {
        let (before, now, _) = AdmissionTests.changes[index]
        var files = AppFileChanges()
        for (path, text) in before { files.serve(path, text ?? "") }
        for (path, text) in now { files.find(path, text) }
        var admission = files.admission
        admission.guardRemovals()
        let verdicts = admission.decision().verdicts.filter { [.held, .gone].contains($0.value.state) }
        func apps(_ texts: Texts) -> [AppFile] {
            texts.compactMap { path, text in
                text.flatMap { AppFile.read(Array($0.utf8), file: path).appFile }
            }
        }
        // A version with errors changes nothing, and files that are not mentioned stay as they are.
        let names = Set(now.filter { $0.value != "{" }.map(\.key))
        let after = apps(now) + apps(before).filter { !names.contains($0.file) }
        let sides = [apps(before), after].map { PublishedHosts(appFiles: $0) }
        let held = HeldRemoval.all(from: sides[0], to: sides[1])
        #expect(held.filter(\.isHeld).map(\.file) == verdicts.keys.sorted())
        let retired = PublishedHosts(appFiles: after, retiredFiles: ["f", "g"], retiredApps: apps(before))
        #expect(HeldRemoval.all(from: sides[0], to: retired).isEmpty)
    }

    @Test func `a deleted file is released when it is in config/retired`() {
        var files = AppFileChanges()
        files.serve("f", AdmissionTests.both)
        files.find("f", nil)
        files.retire("f")
        var admission = files.admission
        admission.guardRemovals()
        let decision = admission.decision()
        #expect(decision.verdicts.isEmpty)
    }

    @Test func `a file with guard warn is admitted with a single finding`() {
        var files = AppFileChanges()
        files.serve("f", AdmissionTests.both)
        files.find("f", AppFileChanges.text(["a.example"], ["one"], more: "guard: \"warn\""))
        var admission = files.admission
        for _ in 0..<2 { admission.guardRemovals() }
        #expect(admission.decision().scan.candidates["f"]?.findings.map(\.rule) == [.app042])
    }

    /// The host that fails, the files that have changed, the files that are rejected, and whether the host stays unchanged.
    @Test(arguments: [
        ("a.example", ["f", "g"], ["f"], false), ("new.example", ["f", "g"], ["g"], false),
        ("c.example", ["f", "g"], [], true), ("shared.example", ["f", "g"], ["f", "g"], false),
        ("shared.example", ["f"], ["g"], false), ("x.w.example", ["f", "g"], ["g"], false),
    ])
    func `a file is rejected if a host cannot be rendered with it`(
        host: String, changed: [String], rejected: [String], isUnrenderable: Bool
    ) {
        var files = AppFileChanges()
        files.serve("f", AppFileChanges.text(["a.example"], ["one"]))
        files.serve("h", AppFileChanges.text(["c.example"], ["one"]))
        files.find(
            "f", AppFileChanges.text(["a.example", "shared.example"], ["one"]), isChanged: changed.contains("f"))
        files.find(
            "g", AppFileChanges.text(["new.example", "shared.example", "*.w.example"], ["one"]),
            isChanged: changed.contains("g"))
        var admission = files.admission
        let reason = Finding(rule: .app034, severity: .error, file: "f", range: nil, message: "m", fix: nil)
        let isAgain = admission.reject([host: [reason]])
        #expect(isAgain == !rejected.isEmpty)
        let decision = admission.decision()
        #expect(decision.verdicts.filter { $0.value.state == .refused }.keys.sorted() == rejected)
        #expect(decision.unrenderable == (isUnrenderable ? [host] : []))
        for path in rejected { #expect(decision.scan.candidates[path]?.findings.last == reason) }
        #expect(decision.verdicts.values.allSatisfy { $0.awaitedHosts.contains(host) })
    }

    @Test func `if the file that takes over an entry is rejected, the file that removes it is held`() {
        var files = AppFileChanges()
        files.serve("f", AdmissionTests.both)
        files.find("f", AppFileChanges.text(["a.example"], ["one", "two"]))
        files.find("g", AdmissionTests.both)
        var admission = files.admission
        admission.guardRemovals()
        #expect(admission.isAdmitted("f") && admission.isAdmitted("g"))
        files.find("g", "{")
        admission = files.admission
        admission.guardRemovals()
        let decision = admission.decision()
        #expect(decision.verdicts.mapValues(\.state) == ["f": .held, "g": .broken])
    }

    @Test func `a file adds only entries that no other file had live`() {
        var files = AppFileChanges()
        files.serve("f", AdmissionTests.both)
        files.find("g", AppFileChanges.text(["a.example"], ["one", "three"]))
        var admission = files.admission
        let decision = admission.decision()
        #expect(decision.added["g"] == [LiveIdentity(host: "a.example", kind: .appID, text: "8KQ2V7M4XN.dev.three")])
    }
}
