// What hosts are made of, as app files, folders and verdicts have it: from values, without a disk.

import Testing

@testable import Hosting

struct SitePlanTests {
    /// Two files share a host, one of them has a wildcard, and another environment has a host below that.
    private func play() -> AppPlay {
        var play = AppPlay()
        play.serve("f", AppPlay.text(["a.example", "shared.example"], ["one"]))
        play.serve(
            "w",
            AppPlay.text(
                ["*.w.example", "shared.example"], ["two"],
                more: #"environments: { staging: { hosts: ["stage.w.example"] } }"#))
        return play
    }

    private func plan(_ host: String, _ play: AppPlay) -> SitePlan? {
        var admission = play.admission
        admission.guardRemovals()
        return admission.plans(for: [host]) { _ in true }.first
    }

    @Test(arguments: [
        ("a.example", ["f"], ["a.example"]), ("shared.example", ["f", "w"], ["shared.example"]),
        ("*.w.example", ["w"], ["*.w.example"]),
        // With files of its own, beside what the wildcard has.
        ("own.w.example", ["w"], ["*.w.example", "own.w.example"]), ("alone.example", [], ["alone.example"]),
    ])
    func `a host is made of these files and folders`(host: String, apps: [String], folders: [String]) {
        var play = play()
        for own in ["own.w.example", "alone.example", "stage.w.example"] { play.own(own) }
        let plan = plan(host, play)
        #expect(plan?.outcome == .made)
        #expect(plan?.apps == apps.map { AppVersion(path: $0, isNew: false) })
        #expect(plan?.folders.map(\.host) == folders)
    }

    @Test func `a host without files is absent, and one of another environment is closed`() {
        var play = play()
        play.own("stage.w.example")
        #expect(plan("nobody.example", play)?.outcome == .absent)
        #expect(plan("stage.w.example", play)?.outcome == .closed)
        play.find("w", AppPlay.text(["*.w.example", "shared.example"], ["two"]))
        #expect(plan("stage.w.example", play)?.apps == [AppVersion(path: "w", isNew: true)])
    }

    @Test func `a new version counts where it is admitted, and the last good one where not`() {
        var play = play()
        play.find("f", AppPlay.text(["a.example"], ["one"]))
        play.find("w", AppPlay.text(["*.w.example", "shared.example", "new.example"], ["two"]))
        #expect(
            plan("shared.example", play)?.apps == [
                AppVersion(path: "f", isNew: false), AppVersion(path: "w", isNew: true),
            ])
        #expect(plan("new.example", play)?.apps == [AppVersion(path: "w", isNew: true)])
        #expect(play.admission.concerned.contains("new.example"))
    }

    @Test func `a host is concerned by its files, its folders, and the wildcard above its own files`() {
        var play = play()
        play.own("own.w.example")
        #expect(play.admission.concerned.isEmpty)
        play.own("alone.example", isNew: true)
        #expect(play.admission.concerned == ["alone.example"])
        play.find("w", AppPlay.text(["*.w.example", "shared.example"], ["two", "three"]))
        #expect(
            play.admission.concerned == [
                "alone.example", "own.w.example", "*.w.example", "shared.example", "stage.w.example",
            ])
    }
}
