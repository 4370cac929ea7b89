// Which files and folders hosts are rendered from, decided from values without a disk.

import Testing

@testable import Hosting

struct SitePlanTests {
    /// Two files share a host, one of them has a wildcard, and another environment has a host below it.
    private func files() -> AppFileChanges {
        var files = AppFileChanges()
        files.serve("f", AppFileChanges.text(["a.example", "shared.example"], ["one"]))
        files.serve(
            "w",
            AppFileChanges.text(
                ["*.w.example", "shared.example"], ["two"],
                more: #"environments: { staging: { hosts: ["stage.w.example"] } }"#))
        return files
    }

    private func plan(_ host: String, _ files: AppFileChanges) -> SitePlan? {
        var admission = files.admission
        admission.guardRemovals()
        return admission.plans(for: [host]) { _ in true }.first
    }

    @Test(arguments: [
        ("a.example", ["f"], ["a.example"]), ("shared.example", ["f", "w"], ["shared.example"]),
        ("*.w.example", ["w"], ["*.w.example"]),
        // Its own files in addition to the wildcard's site.
        ("own.w.example", ["w"], ["*.w.example", "own.w.example"]), ("alone.example", [], ["alone.example"]),
    ])
    func `a host is rendered from these files and folders`(host: String, apps: [String], folders: [String]) {
        var files = files()
        for own in ["own.w.example", "alone.example", "stage.w.example"] { files.own(own) }
        let plan = plan(host, files)
        #expect(plan?.outcome == .rendered)
        #expect(plan?.apps == apps.map { AppVersion(path: $0, isNew: false) })
        #expect(plan?.folders.map(\.host) == folders)
    }

    @Test func `a host without files is absent, and one of another environment is closed`() {
        var files = files()
        files.own("stage.w.example")
        #expect(plan("absent.example", files)?.outcome == .absent)
        #expect(plan("stage.w.example", files)?.outcome == .closed)
        files.find("w", AppFileChanges.text(["*.w.example", "shared.example"], ["two"]))
        #expect(plan("stage.w.example", files)?.apps == [AppVersion(path: "w", isNew: true)])
    }

    @Test func `an admitted version counts, otherwise the last good one`() {
        var files = files()
        files.find("f", AppFileChanges.text(["a.example"], ["one"]))
        files.find("w", AppFileChanges.text(["*.w.example", "shared.example", "new.example"], ["two"]))
        #expect(
            plan("shared.example", files)?.apps == [
                AppVersion(path: "f", isNew: false), AppVersion(path: "w", isNew: true),
            ])
        #expect(plan("new.example", files)?.apps == [AppVersion(path: "w", isNew: true)])
        #expect(files.admission.concernedHosts.contains("new.example"))
    }

    @Test func `a host is concerned by changes of its files, its folders and the wildcard above it`() {
        var files = files()
        files.own("own.w.example")
        #expect(files.admission.concernedHosts.isEmpty)
        files.own("alone.example", isNew: true)
        #expect(files.admission.concernedHosts == ["alone.example"])
        files.find("w", AppFileChanges.text(["*.w.example", "shared.example"], ["two", "three"]))
        #expect(
            files.admission.concernedHosts == [
                "alone.example", "own.w.example", "*.w.example", "shared.example", "stage.w.example",
            ])
    }
}
