// When a manager counts as silent, and where that is reported.

import HTTP
import Service
import SourceJSON
import Telemetry
import Testing

@testable import Administration

struct ManagerSilenceTests {
    /// Each row: the manager's last contact and the present time, in seconds, and how long it is reported to be silent.
    /// The server was started at 10 seconds.
    @Test(
        arguments: [
            (20, 20, nil), (20, 79, nil), (20, 80, "1 minute"), (20, 81, "1 minute"), (20, 320, "5 minutes"),
            (20, 19, nil), (nil, 69, nil), (nil, 70, "1 minute"), (nil, 71, "1 minute"), (nil, 10 + 7_200, "2 hours"),
        ] as [(Int64?, Int64, String?)])
    func `is reported after a minute, and never affects readiness`(contact: Int64?, now: Int64, age: String?) throws {
        let silence = ManagerSilence(
            startedMilliseconds: 10_000, contactMilliseconds: contact.map { $0 * 1_000 }, nowMilliseconds: now * 1_000)
        let health = HealthReport(.serving, workers: [], hosting: HostingFigures(), manager: silence)
        #expect(health.notes == [age].compactMap { $0 }.map { "the manager has been silent for \($0)" })
        #expect(health.ready(includesReasons: false).status == .ok)
        var status = Samples.status
        status.manager = silence
        let lines = status.text.split(separator: "\n").filter { $0.hasPrefix("manager: ") }
        #expect(
            lines
                == [age].compactMap { $0 }.map {
                    "manager: silent for \($0); certificates are not renewed; see its log"
                })
        let value = try #require(SourceReader.read(status.json, as: .json).value)
        #expect(StatusReport(value)?.manager == silence)
    }

    @Test func `a manager that cannot work is reported, also to a reader of the status`() throws {
        var silence = ManagerSilence(seconds: 5)
        silence.problem = "the disk is full"
        let health = HealthReport(.serving, workers: [], hosting: HostingFigures(), manager: silence)
        #expect(health.notes == ["the manager cannot work: the disk is full"])
        #expect(health.ready(includesReasons: false).status == .ok)
        var status = Samples.status
        status.manager = silence
        #expect(status.text.contains("manager: the disk is full; no certificate is ordered or renewed"))
        let value = try #require(SourceReader.read(status.json, as: .json).value)
        #expect(StatusReport(value)?.manager == silence)
        silence.seconds = 60
        #expect(
            silence.text == "manager: silent for 1 minute (the disk is full); certificates are not renewed; see its log"
        )
        #expect(silence.note == "the manager has been silent for 1 minute (the disk is full)")
        (silence.seconds, silence.restartSeconds) = (5, 8)
        #expect(silence.text == "manager: the disk is full; next start in 8 s; no certificate is ordered or renewed")
        #expect(silence.note == "the manager cannot work: the disk is full; next start in 8 s")
        status.manager = silence
        #expect(StatusReport(try #require(SourceReader.read(status.json, as: .json).value))?.manager == silence)
    }

    @Test func `is written in seconds, and as null without a manager`() {
        var status = Samples.status
        #expect(String(decoding: status.json, as: UTF8.self).contains("\"manager\": null"))
        status.manager = ManagerSilence(seconds: 59)
        #expect(String(decoding: status.json, as: UTF8.self).contains("\"silentSeconds\": 59"))
        #expect(HealthReport(.serving, workers: [], hosting: HostingFigures()).notes.isEmpty)
    }

    @Test(arguments: [Int64.min, -1, .max])
    func `survives clocks that make no sense`(milliseconds: Int64) {
        let silence = ManagerSilence(
            startedMilliseconds: 0, contactMilliseconds: nil, nowMilliseconds: milliseconds)
        #expect(silence.seconds == max(0, milliseconds) / 1_000)
    }

    /// The seconds since the last contact, what the manager says of itself, and the first line of the status.
    @Test(
        arguments: [(4, nil, "2 hosts are live."), (4, "full", nil), (60, nil, nil)] as [(Int64, String?, String?)])
    func `the status begins with the sentence of the console while the manager works`(
        seconds: Int64, problem: String?, line: String?
    ) {
        var (status, silence) = (StatusReport(), ManagerSilence(seconds: seconds))
        (silence.sentence, silence.problem) = ("2 hosts are live.", problem)
        status.manager = silence
        #expect(status.text.hasPrefix(line.map { "\($0)\n" } ?? "associated "))
    }
}
