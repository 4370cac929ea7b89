// What a server answers its manager, and what it notes of it.

import HTTP
import Service
import Synchronization
import Testing

@testable import Administration

struct LinkRoutesTests {
    private func ask(
        _ sources: AdminBench.Answers, _ path: String, _ method: Method = .get, _ body: String = ""
    ) -> ServiceResponse {
        Router(link: sources).answer(
            ServiceRequest(method, path, lines: ["content-type: application/json"], body: Array(body.utf8)))
    }

    @Test(
        arguments: [
            ("/served", .ok, "{\"digest\":"), ("/served/00ff", .noContent, ""), ("/served/00fe", .ok, "{\"digest\":"),
            ("/served/", .notFound, "/served\n"), ("/servedx", .notFound, "/served\n"),
            ("/documents", .ok, "{\"digest\":\"00ff\",\"hosts\":[{"),
            ("/documents/shop.example.com", .ok, "{\"digest\":\"00ff\",\"hosts\":[]"),
            ("/document/apple/shop.example.com", .ok, "{}"), ("/document/google/shop.example.com", .notFound, "this"),
            ("/document/other/shop.example.com", .notFound, "/served\n"),
            ("/fetched/0", .ok, "{\"fetches\":[{\"host\":\"news."),
            ("/fetched/9999999999", .ok, "{\"fetches\":[],\"more\":false}"), ("/fetched/-1", .notFound, "no"),
            (
                "/published/acme", .ok,
                """
                {"files":[{"path":"acme/news.json","digest":null,"state":"held","findings":["error"],"servesOlder":true},\
                {"path":"acme/shop.json","digest":"00ff","state":"served"}]}
                """
            ),
            ("/published/other", .ok, "{\"files\":[]}"), ("/published/", .notFound, "/served\n"),
            ("/published/a/b", .notFound, "/served\n"),
            ("/fetched/", .notFound, "/served\n"), ("/status", .notFound, "/served\n"),
            ("/metrics", .notFound, "/served\n"), ("/manager", .methodNotAllowed, "only PUT\n"),
        ] as [(String, Status, String)])
    func `GET answers what the manager asks for, and changes nothing`(path: String, status: Status, beginning: String) {
        let sources = AdminBench.Answers()
        let answer = ask(sources, path)
        #expect(answer.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self).hasPrefix(beginning))
        #expect(sources.reports.withLock { $0 }.isEmpty)
    }

    @Test(
        arguments: [
            (#"{"awaited":7,"problem":"full"}"#, ManagerReport(awaitedCount: 7, problem: "full")),
            (#"{"sentence":"All live."}"#, ManagerReport(sentence: "All live.")),
            (#"{"problem":""}"#, ManagerReport()), ("{}", ManagerReport()), (#"{"later":1}"#, ManagerReport()),
            (#"{"awaited":"7"}"#, ManagerReport()), (#"{"awaited":-1}"#, nil), ("", nil), ("{", nil),
        ] as [(String, ManagerReport?)])
    func `PUT of the manager's report is noted`(body: String, report: ManagerReport?) {
        let sources = AdminBench.Answers()
        #expect(ask(sources, "/manager", .put, body).status == (report == nil ? .badRequest : .noContent))
        #expect(sources.reports.withLock { $0 } == [report].compactMap(\.self))
    }

    @Test(arguments: [Method.get, .head, .post, .delete, .unknown])
    func `only PUT changes something`(method: Method) {
        let sources = AdminBench.Answers()
        #expect(ask(sources, "/manager", method, "{}").status == .methodNotAllowed)
        #expect(sources.reports.withLock { $0 }.isEmpty)
    }

    @Test func `a report is read as it was written`() {
        for report in [ManagerReport(), ManagerReport(awaitedCount: 0), ManagerReport(awaitedCount: 1, problem: "é\n")]
        {
            #expect(ManagerReport(json: report.json) == report)
        }
    }
}
