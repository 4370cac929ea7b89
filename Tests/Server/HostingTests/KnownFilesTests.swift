// An unchanged file of a host is not read again when another file of the host changes.

import Association
import Catalogue
import Foundation
import HTTP
import Posix
import Testing

@testable import Hosting

struct KnownFilesTests {
    private static let settled = FileStatus(
        isRegular: true, permissions: 0o644, device: 1, inode: 2, byteCount: 3, modifiedNanoseconds: 4,
        changedNanoseconds: 5)
    /// Long after the file was written.
    private static let later: Int64 = 1_000_000_000_000

    private func status(_ change: (inout FileStatus) -> Void) -> FileStatus {
        var status = KnownFilesTests.settled
        change(&status)
        return status
    }

    private func mark(_ files: [FileStatus], path: String = "/a", at now: Int64 = later) -> FileMark? {
        FileMark(path, files, openedNanoseconds: now)
    }

    @Test func `a file is recognised by its path and all its marks`() {
        let known = mark([KnownFilesTests.settled])
        #expect(known != nil && known == mark([KnownFilesTests.settled]))
        let others = [
            mark([KnownFilesTests.settled], path: "/b"), mark([status { $0.device += 1 }]),
            mark([status { $0.inode += 1 }]),
            mark([status { $0.byteCount += 1 }]), mark([status { $0.modifiedNanoseconds += 1 }]),
            mark([status { $0.changedNanoseconds += 1 }]), mark([status { $0.permissions = 0o600 }]),
            mark([KnownFilesTests.settled, KnownFilesTests.settled]), mark([]),
        ]
        for other in others { #expect(other != nil && other != known) }
    }

    /// A file that was written within one tick of the file system's clock may change again without changing its marks.
    @Test(arguments: [
        (0, 0, true), (-1_000_000, 0, false), (0, -1_000_000, false), (1_000_000, 0, false), (0, 1_000_000, false),
        (-19_000_000, 0, false), (-30_000_000, -30_000_000, true),
    ])
    func `a file is not recognised while it may change without changing its marks`(
        modified: Int64, changed: Int64, isKnown: Bool
    ) {
        let now = KnownFilesTests.later
        let file = status { status in
            if modified != 0 { status.modifiedNanoseconds = now + modified }
            if changed != 0 { status.changedNanoseconds = now + changed }
        }
        #expect((mark([file], at: now) != nil) == isKnown)
        #expect((mark([KnownFilesTests.settled, file], at: now) != nil) == isKnown, "the gzip file too")
    }

    @Test func `a file whose path another file answers is not remembered`() {
        func answer(_ text: String) -> PreparedAnswer {
            AnswerMaker.answer(
                Document(
                    kind: .page, contentType: "text/plain", content: .bytes(Array(text.utf8)), cacheSeconds: 1,
                    modified: 1))
        }
        let finding = Finding(rule: .cfg004, severity: .warning, file: "f", range: nil, message: "m", fix: nil)
        func file(_ name: String, _ text: String?, isBlocked: Bool = false) -> RenderedFile {
            RenderedFile(
                path: "/\(name)", mark: mark([], path: name), answer: text.map(answer), isBlocked: isBlocked,
                findings: [finding])
        }
        var builder = CatalogueBuilder()
        builder.add(PreparedSite(host: "a.example", answers: [("/won", answer("won")), ("/lost", answer("other"))]))
        let catalogue = Catalogue(layers: [builder.finish()])
        var known = KnownFiles()
        known.add(
            [file("won", "won"), file("lost", "lost"), file("held", nil, isBlocked: true), file("key", nil)],
            in: ["/won": answer("won"), "/lost": answer("other")])
        #expect(known.file("/won", mark([], path: "won")) == nil, "the answer is no more than in the catalogue")
        known.answers = catalogue.keptAnswers(of: "a.example")
        #expect(
            known.file("/won", mark([], path: "won"))?.answer?.identity.entityTag == answer("won").identity.entityTag)
        #expect(known.file("/lost", mark([], path: "lost")) == nil)
        #expect(known.file("/won", nil) == nil)
        for (name, isBlocked) in [("held", true), ("key", false)] {
            let found = known.file("/\(name)", mark([], path: name))
            #expect(found?.answer == nil && found?.isBlocked == isBlocked && found?.findings == [finding])
        }
        #expect(catalogue.keptAnswers(of: "b.example") == nil)
    }

    // The following tests use a tree and count the files that are read.

    private static let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n"

    private func site() throws -> TenantTree {
        let site = try TenantTree()
        try site.shop("a.json", hosts: ["a.example.com"])
        let long = String(repeating: "a text that is worth compressing. ", count: 40)
        try site.write("public/a.example.com/index.html", "<p>\(long)")
        try site.write("public/a.example.com/robots.txt", "User-agent: *\nDisallow: /")
        try site.write("public/a.example.com/copy.txt", KnownFilesTests.key)
        try site.write("public/a.example.com/packed.txt", long)
        try site.write("public/a.example.com/packed.txt.gz", "no such thing")
        try site.write("public/a.example.com/large.bin", String(repeating: "x", count: PageSet.memoryBytesMax + 1))
        for name in ["file.txt", "broken.json"] {
            try site.write("config/hosts/a.example.com/well-known/\(name)", "{\(name)")
        }
        try site.write("config/hosts/a.example.com/well-known/change-password", "nowhere")
        try site.round()
        return site
    }

    /// Everything that the host answers: by path, the head's fields and the bodies of both forms.
    private func answers(_ site: TenantTree) -> [String: [String]] {
        let catalogue = site.tenants.catalogue
        return catalogue.reading { view in
            let name = Array("a.example.com".utf8)
            guard let host = view.site(host: name.span) else { return [:] }
            let paths = (catalogue.tags(of: "a.example.com") ?? []).map(\.path)
            return Dictionary(
                uniqueKeysWithValues: paths.map { path in
                    guard let answer = Array(path.utf8).withUnsafeBytes({ view.answer(host, path: $0) }) else {
                        return (path, [])
                    }
                    let forms =
                        answer.hasGzip ? [answer.form(.identity), answer.form(.gzip)] : [answer.form(.identity)]
                    let texts = forms.flatMap { form in
                        let body = form.file == nil ? Array(form.body).description : "file"
                        return [String(decoding: form.fields, as: UTF8.self), body]
                    }
                    return (path, texts + ["\(answer.status) \(answer.kind) \(answer.lastModified ?? 0)"])
                })
        }
    }

    private func settle(_ site: TenantTree, _ name: String, _ text: String) throws {
        try site.write(name, text)
        try site.waitUntilSettled(name)
    }

    @Test func `a change reads only what has changed`() throws {
        let site = try site()
        // The first round of a process does not remember files.
        try settle(site, "public/a.example.com/new.txt", "new")
        let whole = try site.round()
        #expect(whole.hostFilesRead == 10)
        let before = answers(site)
        #expect(before["/new.txt"]?[0].contains("etag") == true && before["/copy.txt"] == nil)
        try settle(site, "public/a.example.com/new.txt", "newer")
        let report = try site.round()
        #expect(report.hostFilesRead == 1)
        // The findings are the same, in the same order.
        #expect(report.findings == whole.findings)
        #expect(Set(whole.findings.map(\.rule)) == [.cfg005, .cfg006, .cfg009, .ghst007])
        var after = answers(site)
        #expect(after["/new.txt"] != before["/new.txt"])
        after["/new.txt"] = before["/new.txt"]
        #expect(after == before)
        // A blocked file is not read either, and a change of an app file reads no page.
        try site.shop("a.json", hosts: ["a.example.com"], more: "cacheSeconds: 60")
        #expect(try site.round().hostFilesRead == 0)
    }

    @Test func `a key instead of a page, a new gzip file and a removed page are noticed`() throws {
        let site = try site()
        try settle(site, "public/a.example.com/new.txt", "new")
        try site.round()
        try settle(site, "public/a.example.com/index.html", KnownFilesTests.key)
        let page = Array((site.answer("a.example.com", "/packed.txt") ?? "").utf8)
        let packed = "\(site.tree.root)/public/a.example.com/packed.txt.gz"
        try Data(Gzip.compress(page)).write(to: URL(fileURLWithPath: packed))
        try site.waitUntilSettled("public/a.example.com/packed.txt.gz")
        let report = try site.round()
        // The gzip file is also a page of its own.
        #expect(report.hostFilesRead == 3)
        #expect(!report.findings.contains { $0.rule == .cfg006 })
        #expect(site.answer("a.example.com", "/index.html") == nil && site.answer("a.example.com", "/") == nil)
        try site.remove("public/a.example.com/new.txt")
        try site.remove("public/a.example.com/copy.txt")
        let last = try site.round()
        #expect(last.hostFilesRead == 0)
        #expect(site.answer("a.example.com", "/new.txt") == nil)
        #expect(last.findings.count { $0.rule == .cfg009 } == 1)
    }
}
