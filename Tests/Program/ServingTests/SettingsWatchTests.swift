// What an operator is told of a change of `server.json`.

import Association
import Settings
import Supervision
import TestSupport
import Testing

@testable import Serving

struct SettingsWatchTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    private func watch(_ text: String) throws -> SettingsWatch {
        try folder.write("server.json", text)
        return SettingsWatch(
            try LoadedSettings(
                configPath: path, publicPath: "public", statePath: "state", isDevelopment: false, text: nil
            ) { _ in })
    }

    private static let owners = #"owners: { a: ["a.example"] }"#

    /// Each row: the file at the start and now, whether SIGHUP has asked, what the log says, and whether it stays in the status.
    @Test(
        arguments: [
            ("{}", "{ workers: 3 }", false, .info, "changed: send SIGUSR2 to apply it, or restart; ", true),
            ("{}", "{ workers: 3 }", true, .info, "changed: send SIGUSR2 to apply it, or restart; ", true),
            ("{}", "{ \(owners) }", false, .info, "`owners` of server.json has changed: send SIGHUP ", true),
            ("{}", "{ \(owners) }", true, .info, "`owners` of server.json is applied", false),
            ("{ \(owners) }", "{}", true, .info, "`owners` of server.json is applied", false),
            ("{}", "{ \(owners), workers: 3 }", true, .info, "SIGHUP applies only `owners`", true),
            ("{}", "{ owners: 7 }", true, .error, "the next start would fail: `owners` of ", true),
            ("{}", "{ limits: { headBytesMax: 1 } }", false, .error, "the next start would fail: `limits` of ", true),
            ("{}", "{ acme: { termsAgreed: true, preflight: 'no' } }", false, .error, "manager could not use it", true),
        ] as [(String, String, Bool, Log.Level, String, Bool)])
    func `says what has changed and what takes it up`(
        before: String, after: String, isRequested: Bool, level: Log.Level, part: String, isOpen: Bool
    ) throws {
        var watch = try watch(before)
        try folder.write("server.json", after)
        let news = watch.check(isRequested: true)
        let notice = try #require(news?.notice(isRequested: isRequested))
        #expect(notice.level == level && notice.isOpen == isOpen && notice.text.contains(part), "\(notice)")
    }

    @Test func `a file that is still being written is not read, unless an operator asks`() throws {
        var watch = try watch("{}")
        try folder.write("server.json", "{ workers: 12 }")
        let found = (0..<4).map { watch.check(isRequested: $0 == 3)?.isChanged }
        #expect(found == [nil, true, nil, true])
    }

    @Test func `a lost file is a finding, and one as before is said to be`() throws {
        var watch = try watch("{}")
        try folder.remove("server.json")
        let gone = watch.check(isRequested: true)
        #expect(gone?.notice(isRequested: true)?.text == nil && gone?.findings.map(\.severity) == [.error])
        try folder.write("server.json", "{}")
        let back = watch.check(isRequested: true)?.notice(isRequested: true)
        #expect(back?.text == "server.json is again as it was at the start" && back?.isOpen == false)
        let again = watch.check(isRequested: true)
        #expect(again?.isChanged == nil)
    }

    @Test func `a file that the server's user cannot read may have changed`() throws {
        var watch = try watch("{ user: 'nobody' }")
        try folder.remove("server.json")
        try folder.makeFolder("server.json")
        let news = watch.check(isRequested: true)
        #expect(news?.isUnread == true && news?.notice(isRequested: true)?.level == .error)
        let notice = news?.notice(isRequested: false)
        #expect(notice?.level == .info && notice?.text.contains("let that user read it") == true)
    }
}
