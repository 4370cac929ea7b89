// What a server answers its manager, and what it notes of it.

import HTTP
import Synchronization
import Testing

@testable import Administration

struct LinkRoutesTests {
    private func ask(_ sources: AdminBench.Answers, _ path: String, _ method: Method = .get) -> AdminResponse {
        LinkRoutes(sources: sources).answer(
            AdminRequest(method: method, path: path, host: "localhost", isAuthorized: true))
    }

    @Test(
        arguments: [
            ("/served", .ok, "{\"digest\":"), ("/served/00ff", .noContent, ""), ("/served/00fe", .ok, "{\"digest\":"),
            ("/served/", .ok, "{\"digest\":"), ("/servedx", .notFound, "no such path\n"),
            ("/documents", .ok, "{\"digest\":\"00ff\",\"hosts\":[{"),
            ("/documents/shop.example.com", .ok, "{\"digest\":\"00ff\",\"hosts\":[]"),
            ("/document/apple/shop.example.com", .ok, "{}"), ("/document/google/shop.example.com", .notFound, "this"),
            ("/document/other/shop.example.com", .notFound, "no"),
            ("/fetched/0", .ok, "{\"fetches\":[{\"host\":\"news."),
            ("/fetched/9999999999", .ok, "{\"fetches\":[],\"more\":false}"), ("/fetched/-1", .notFound, "no"),
            ("/fetched/", .notFound, "no"), ("/status", .notFound, "no"), ("/metrics", .notFound, "no"),
            ("/manager/-", .notFound, "no"),
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
            ("/manager/-", .notServed, .noContent), ("/manager/7", .notServed, .noContent),
            ("/manager/7/66", .notServed, .noContent), ("/manager", .notServed, .notFound),
            ("/manager/", .notServed, .notFound), ("/manager/-1", .notServed, .notFound),
            ("/manager/x", .notServed, .notFound), ("/manager/7/66/", .notServed, .notFound),
            ("/served", .notServed, .notFound), ("/manager/-", .unknown, .methodNotAllowed),
            ("/manager/-", .head, .methodNotAllowed), ("/manager/-", .options, .methodNotAllowed),
        ] as [(String, Method, Status)])
    func `only PUT of the manager's report is noted`(path: String, method: Method, status: Status) {
        let sources = AdminBench.Answers()
        #expect(ask(sources, path, method).status == status)
        #expect(sources.reports.withLock { $0.count } == (status == .noContent ? 1 : 0))
    }

    @Test(
        arguments: [
            (nil, nil, "/manager/-", nil), (nil, "full", "/manager/-/66756c6c", "full"),
            (7, "\u{A}é", "/manager/7/0ac3a9", "é"), (0, "", "/manager/0/", nil),
        ] as [(Int?, String?, String, String?)])
    func `a report is a path`(count: Int?, problem: String?, path: String, read: String?) {
        #expect(ManagerReport(awaitedCount: count, problem: problem).path == path)
        #expect(ManagerReport(path: path) == ManagerReport(awaitedCount: count, problem: read))
    }

    @Test(arguments: ["/manager/-/6", "/manager/-/zz", "/manager/-/0a"])
    func `a malformed problem is none`(path: String) { #expect(ManagerReport(path: path) == ManagerReport()) }

    @Test func `a long problem is cut`() {
        let long = ManagerReport(problem: String(repeating: "a", count: 401))
        #expect(ManagerReport(path: long.path)?.problem == String(repeating: "a", count: 400))
    }
}
