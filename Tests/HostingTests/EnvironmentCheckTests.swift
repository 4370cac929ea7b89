// An environment that no app file has is found before anything is served.

import Association
import TestSupport
import Testing

@testable import Hosting

struct EnvironmentCheckTests {
    private func check(_ files: [String], _ environment: String?) throws -> (error: String?, note: String?) {
        let folder = try TemporaryFolder()
        let paths = try files.enumerated().map { try folder.write("apps/\($0).json", $1) }
        let error = EnvironmentCheck.error(environment, in: paths, of: folder.path)
        let finding = environment.flatMap { environment in
            let names = files.map { text in
                let bytes = Array(text.utf8)
                return EnvironmentCheck.names(in: bytes, AppFile.parse(bytes), environment)
            }
            return EnvironmentCheck.finding(environment, in: names, of: folder.path)
        }
        #expect(error == nil || error == finding)
        return (error.map { "\($0.severity): \($0.fix ?? "")" }, error == nil ? finding?.message : nil)
    }

    private static let staging = "{ environments: { staging: {}, qa: {} } }"

    @Test func `an environment that a file has is accepted`() throws {
        #expect(try check(["{}", Self.staging], "staging").error == nil)
        #expect(
            try check(["{}", "{}", Self.staging], "qa").note
                == "2 of 3 app files have no environment `qa`, so their base version is served")
        #expect(try check([Self.staging], "staging").note == nil)
        #expect(try check([Self.staging], nil).error == nil)
    }

    @Test func `an environment that no file has is an error with the most similar name`() throws {
        #expect(try check(["{}", Self.staging], "stagin").error == "error: did you mean `staging`?")
        #expect(try check([Self.staging], "other").error == "error: the app files have staging, qa")
        #expect(try check(["{}"], "staging").error == "error: no app file defines an environment")
    }

    @Test func `an unreadable file may have the environment, and without files there is no error`() throws {
        #expect(try check(["{ environments: { staging: {} ], }"], "staging").error == nil)
        #expect(try check(["{ environments: ]"], "staging").error != nil)
        #expect(try check([], "staging").error == nil)
    }
}
