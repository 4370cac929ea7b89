// Problems of certificates: since when they exist, and when they are reported.

import Testing

@testable import Certificates
@testable import TLS

struct CertificateRegisterTests {
    private static let day = CertificateChecks.day
    private let register = CertificateRegister(.init(found: 8, ended: 4, renewed: 4)) { "\($0)/fullchain.pem" }
    private let folder = CertificateFolder(name: "a.test")

    private func problem(_ kind: CertificateProblem.Kind, _ text: String = "") -> CertificateProblem {
        CertificateProblem(kind, file: "a.test/fullchain.pem", text, fix: "")
    }

    /// A certificate that is valid from day 0.
    private func status(
        _ state: CertificateState, _ problems: [CertificateProblem] = [], certificate: Int? = 1, days: Int64 = 100
    ) -> CertificateStatus {
        var status = CertificateStatus(state, problem(.expired))
        status.problems = problems
        status.summary = certificate.map { number in
            CertificateSummary(
                issuer: "CN=I", serial: [], own: CertificatePeriod("the certificate", from: 0, to: days * Self.day),
                others: [], fingerprint: number)
        }
        return status
    }

    /// `+` for a new problem, `-` for the end of all problems, `~` for the end of the errors, `!` for a renewal.
    private func news() -> String {
        let news = register.drain()
        return
            (news.found.map { "+\($0.kind.rawValue.suffix(2))" } + news.ended.map { $0.isFine ? "-" : "~" }
            + news.renewed.map { _ in "!" }).joined(separator: " ")
    }

    private var counts: [CertificateState: Int] { register.survey(now: 0).counts }

    /// Each row: the problems of a check, the reports, and since when each problem exists, with one check a second.
    @Test(
        arguments: [
            [([], "", [])], [([.weakKey], "+07", [0]), ([.weakKey], "", [0]), ([], "-", [])],
            [
                ([.weakKey], "+07", [0]), ([.weakKey, .chainOrder], "+16", [0, 1]), ([.chainOrder], "~", [1]),
                ([], "-", []),
            ],
            [([.weakKey], "+07", [0]), ([], "-", []), ([.weakKey], "+07", [2])],
            [([.weakKey, .weakKey], "+07", [0])],
        ] as [[([CertificateProblem.Kind], String, [Int64])]])
    func `reports a problem when it begins and when it ends`(
        looks: [([CertificateProblem.Kind], String, [Int64])]
    ) {
        for (second, look) in looks.enumerated() {
            register.note(
                folder, status(look.0.isEmpty ? .usable : .broken, look.0.map { problem($0) }), stamp: 1,
                now: Int64(second))
            #expect(news() == look.1)
            let status = register.problems(of: folder.name)
            #expect(status.map(\.sinceSeconds) == look.2)
            #expect(register.survey(now: 0).openProblems.errors == status.count { $0.problem.severity == .error })
        }
    }

    /// Each row: the day, the reports, the state, and the day on which a problem of time began.
    @Test func `problems begin, change and end with time alone`() {
        register.note(folder, status(.usable), stamp: 1, now: -Self.day)
        #expect(news() == "+10")
        #expect(counts == [.broken: 1])
        for (day, expected, state, since) in [
            (0, "-", CertificateState.usable, nil), (78, "", .usable, nil), (80, "+14", .usable, 80),
            (81, "", .usable, 80), (92, "+13", .usable, 92), (101, "+09", .broken, 101), (102, "", .broken, 101),
            // A clock that is set back.
            (50, "-", .usable, nil),
        ] as [(Int64, String, CertificateState, Int64?)] {
            register.updateExpiries(day * Self.day)
            #expect(news() == expected, "day \(day)")
            #expect(counts == [state: 1], "day \(day)")
            #expect(register.problems(of: folder.name).first?.sinceSeconds == since.map { $0 * Self.day }, "day \(day)")
        }
        #expect(register.entry(folder.name)?.nextExpiryChange == 79 * Self.day + 1)
    }

    @Test func `updates the remaining time without reporting it again`() {
        register.note(folder, status(.usable), stamp: 1, now: 85 * Self.day)
        #expect(news() == "+14")
        register.updateExpiries(87 * Self.day)
        #expect(news() == "")
        #expect(register.problems(of: folder.name).map(\.problem.message) == ["the certificate expires in 13 days"])
        #expect(register.problems(of: folder.name).map(\.sinceSeconds) == [85 * Self.day])
    }

    /// Each row: the days on which two certificates expire, the seconds of two checks, and whether the clock is suspect.
    @Test(
        arguments: [
            (100, 100, 50 * day, 101 * day, true), (100, 200, 50 * day, 101 * day, false),
            (100, 200, 150 * day, 201 * day, false),
            // Certificates of one renewal expire together, and the next check finds them.
            (100, 100, 100 * day, 100 * day + 60, false),
        ] as [(Int64, Int64, Int64, Int64, Bool)])
    func `suspects the clock when all certificates expire between two checks`(
        first: Int64, second: Int64, former: Int64, now: Int64, isSuspect: Bool
    ) {
        register.note(folder, status(.usable, days: first), stamp: 1, now: 1)
        register.note(CertificateFolder(name: "b.test"), status(.usable, days: second), stamp: 1, now: 1)
        register.updateExpiries(former)
        register.updateExpiries(now)
        let problem = register.problems(of: folder.name).first?.problem
        #expect(problem?.kind == .expired)
        #expect(problem?.fix.contains("check the clock of this machine") == isSuspect)
        register.updateExpiries(1)
        #expect(register.problems(of: folder.name).isEmpty)
    }

    @Test func `keeps other problems next to an expiry`() {
        register.note(folder, status(.lastGood, [problem(.keyMismatch)]), stamp: 1, now: 0)
        #expect(counts == [.lastGood: 1])
        register.updateExpiries(101 * Self.day)
        #expect(news() == "+06 +09")
        #expect(counts == [.broken: 1])
        register.updateExpiries(0)
        #expect(counts == [.lastGood: 1])
        #expect(register.problems(of: folder.name).map(\.problem.kind) == [.keyMismatch])
    }

    @Test func `a different certificate counts as a renewal once it is usable`() {
        for (certificate, state, expected) in [
            (1, CertificateState.usable, ""), (1, .usable, ""), (2, .usable, "!"), (2, .lastGood, ""),
            (3, .broken, ""), (4, .usable, "!"),
        ] {
            register.note(folder, status(state, certificate: certificate), stamp: 1, now: 0)
            #expect(news() == expected)
        }
    }

    @Test func `reports hundreds of renewals in one survey as some names and a number`() {
        for number in 0..<300 {
            register.note(CertificateFolder(name: "h\(number).test"), status(.usable), stamp: 1, now: 0)
        }
        register.begin()
        for number in 0..<300 {
            let place = CertificateFolder(name: "h\(number).test")
            register.note(place, status(.usable, certificate: 2), stamp: 2, now: 0)
            // Checks every second meanwhile report nothing.
            #expect(register.drain().isEmpty)
        }
        register.end(repeats: false)
        let news = register.drain()
        #expect((news.renewed.count, news.moreRenewed) == (4, 296))
        #expect(news.renewed.first?.notAfter == 100 * Self.day)
        #expect(register.drain().isEmpty)
    }

    @Test func `a requested survey reports open problems again, once`() {
        let other = CertificateFolder(name: "b.test")
        register.note(folder, status(.broken, [problem(.keyMismatch)]), stamp: 1, now: 0)
        #expect(news() == "+06")
        for (repeats, expected) in [(false, "+07"), (true, "+07 +06")] {
            register.begin()
            register.keep(folder.name)
            register.remove(other.name)
            register.note(other, status(.broken, [problem(.weakKey)]), stamp: 1, now: 0)
            register.end(repeats: repeats)
            #expect(news().replacing(" -", with: "") == expected)
        }
    }

    @Test func `lists the folders that a survey did not reach, and drops them without a report`() {
        let dropped = CertificateFolder(name: "dropped.test")
        for place in [folder, dropped] { register.note(place, status(.broken, [problem(.weakKey)]), stamp: 1, now: 0) }
        _ = (news(), register.begin())
        register.keep(folder.name)
        #expect(register.unreached() == [dropped.name])
        register.drop(dropped.name)
        register.end(repeats: false)
        #expect(news() == "")
        #expect(register.entry(dropped.name) == nil)
        #expect(counts == [.broken: 1])
        #expect(register.survey(now: 0).openProblems.errors == 1)
    }

    @Test func `reports half-replaced files after a while`() {
        for (stamp, milliseconds, isSettled) in [
            (2, 0, false), (2, 4_999, false), (3, 5_000, false), (3, 9_000, false), (nil, 9_500, false),
            (nil, 14_500, true),
        ] as [(Int?, Int64, Bool)] {
            #expect(
                register.isSettled("a.test", stamp: stamp, milliseconds: milliseconds, after: 5_000) == isSettled,
                "\(milliseconds)")
        }
    }

    @Test func `limits the reports, but keeps all problems open`() {
        for index in 0..<20 {
            register.note(
                CertificateFolder(name: "h\(index).test"), status(.broken, [problem(.weakKey)]), stamp: 1, now: 0)
        }
        let news = register.drain()
        #expect((news.found.count, news.moreFound) == (8, 12))
        #expect(register.survey(now: 0).openProblems.errors == 20)
        #expect(register.problems(3).count == 3)
    }

    @Test(arguments: [10, 1_100])
    func `reports errors first`(count: Int) {
        for index in 0..<count {
            let kind: CertificateProblem.Kind = index == count / 2 ? .weakKey : .selfSigned
            register.note(CertificateFolder(name: "h\(index).test"), status(.usable, [problem(kind)]), stamp: 1, now: 0)
        }
        let problems = register.problems(5)
        #expect(problems.map(\.problem.kind) == [.weakKey, .selfSigned, .selfSigned, .selfSigned, .selfSigned])
        #expect(register.foldersWithErrors(9) == ["h\(count / 2).test"])
    }

    @Test func `lists certificates by expiry, and all that expire before a given time`() {
        for (index, days) in [500, 100, 300, 400, 200, 600].enumerated() {
            register.note(
                CertificateFolder(name: "h\(index).test"), status(.usable, days: Int64(days)), stamp: 1, now: 0)
        }
        register.note(folder, status(.missing, certificate: nil), stamp: nil, now: 0)
        let survey = register.survey(now: 50 * Self.day)
        #expect(survey.soonest.map { $0.notAfter / Self.day } == [100, 200, 300, 400, 500])
        #expect(survey.soonest.map(\.lifeLeftPercent) == [50, 75, 83, 87, 90])
        // A lifetime of 100 days counts as 84.
        #expect(survey.judgedLifeLeftMin == 50.0 / 84)
        #expect(register.survey(now: 79 * Self.day).judgedLifeLeftMin == 0.25)
        let ending = register.ending(before: 300 * Self.day + 1, now: 50 * Self.day)
        #expect(ending.map(\.folder) == ["h1.test", "h4.test", "h2.test"])
        #expect(ending.map(\.lifeLeftPercent) == [50, 75, 83])
        register.drop("h1.test")
        #expect(register.survey(now: 50 * Self.day).soonest.first?.folder == "h4.test")
    }
}
