// An environment that no app file has is found before anything is served.

import Association
import Testing

@testable import Hosting

struct EnvironmentCheckTests {
    private func check(_ files: [String], _ environment: String?) -> (error: String?, note: String?) {
        let texts = Dictionary(uniqueKeysWithValues: files.enumerated().map { ("\($0)", Array($1.utf8)) })
        let error = EnvironmentCheck.error(environment, in: texts.keys.sorted(), of: "config") { texts[$0] }
        let finding = environment.flatMap { environment in
            let names = files.map { text in
                let bytes = Array(text.utf8)
                return EnvironmentCheck.names(in: bytes, AppFile.parse(bytes), environment)
            }
            return EnvironmentCheck.finding(environment, in: names, of: "config")
        }
        #expect(error == nil || error == finding)
        return (error.map { "\($0.severity): \($0.fix ?? "")" }, error == nil ? finding?.message : nil)
    }

    private static let staging = "{ environments: { staging: {}, qa: {} } }"

    @Test func `an environment that a file has is accepted`() {
        #expect(check(["{}", Self.staging], "staging").error == nil)
        #expect(
            check(["{}", "{}", Self.staging], "qa").note
                == "2 of 3 app files have no environment `qa`, so their base version is served")
        #expect(check([Self.staging], "staging").note == nil)
        #expect(check([Self.staging], nil).error == nil)
    }

    @Test func `an environment that no file has is an error with the most similar name`() {
        #expect(check(["{}", Self.staging], "stagin").error == "error: did you mean `staging`?")
        #expect(check([Self.staging], "other").error == "error: the app files have staging, qa")
        #expect(check(["{}"], "staging").error == "error: no app file defines an environment")
    }

    @Test func `an unreadable file may have the environment, and without files there is no error`() {
        #expect(check(["{ environments: { staging: {} ], }"], "staging").error == nil)
        #expect(check(["{ environments: ]"], "staging").error != nil)
        #expect(check([], "staging").error == nil)
    }
}
