// Pages with a gzip form from the tenant.

import Association
import Catalogue
import Foundation
import HTTP
import TestSupport
import Testing

@testable import Hosting

struct PrecompressedPageTests {
    private let tree: ConfigTree
    private let page = String(repeating: "a page that packs well. ", count: 50)

    init() throws {
        tree = try ConfigTree()
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com"]))
    }

    private func put(_ name: String, _ bytes: [UInt8], modified: Int? = nil) throws {
        let path = try tree.folder.write("public/_default/\(name)", bytes)
        if let modified {
            let date = Date(timeIntervalSince1970: Double(modified))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
    }

    private func gzip(_ text: String) -> [UInt8] {
        // Has a name in the header, unlike the server's own gzip forms.
        var bytes = Gzip.compress(Array(text.utf8))
        bytes[3] = 8
        bytes.insert(contentsOf: Array("x\0".utf8), at: 10)
        return bytes
    }

    /// One form of an answer, copied.
    private struct Form {
        var fields: String
        var tag: [UInt8]
        var body: [UInt8]
        var bodyCount: Int
        var isFile: Bool

        init(_ form: AnswerForm) {
            fields = String(decoding: form.fields, as: UTF8.self)
            tag = Array(form.entityTag)
            isFile = form.file != nil
            body = isFile ? [] : Array(form.body)
            bodyCount = form.bodyCount
        }
    }

    private func answer(_ loaded: LoadedConfiguration, _ path: String) throws -> (identity: Form, gzip: Form?) {
        try withExtendedLifetime(loaded) {
            let view = loaded.catalogue.view
            let name = Array("a.example.com".utf8)
            let known = view.site(host: name.span)
            let site = try #require(known)
            let found = Array(path.utf8).withUnsafeBytes { view.answer(site, path: $0) }
            let answer = try #require(found)
            return (Form(answer.form(.identity)), answer.hasGzip ? Form(answer.form(.gzip)) : nil)
        }
    }

    @Test func `a gzip file is sent unchanged, with its own ETag`() throws {
        try put("a.css", Array(page.utf8), modified: 2_000)
        // Equal content counts, whatever the modification times are.
        try put("a.css.gz", gzip(page), modified: 1_000)
        let loaded = try tree.load()
        let form = try #require(try answer(loaded, "/a.css").gzip)
        #expect(form.body == gzip(page))
        #expect(form.fields.contains("content-encoding: gzip\r\n"))
        #expect(form.fields.contains("content-type: text/css"))
        #expect(try answer(loaded, "/a.css").identity.fields.contains("vary: accept-encoding"))
        #expect(loaded.findings.filter { $0.rule == .cfg006 } == [])
        let tag = form.tag
        try put("a.css.gz", Gzip.compress(Array(page.utf8)))
        #expect(try answer(tree.load(), "/a.css").gzip?.tag != tag, "other bytes, another tag")
    }

    @Test(arguments: [0, 1, 2, 3])
    func `a gzip file with another content is not used, and the server compresses the page`(kind: Int) throws {
        try put("a.css", Array(page.utf8))
        let bad = [gzip(page + "x"), Array(page.utf8), gzip(page) + [0], Array(gzip(page).dropLast(3))][kind]
        try put("a.css.gz", bad)
        let loaded = try tree.load()
        let form = try #require(try answer(loaded, "/a.css").gzip)
        #expect(form.body == Gzip.compress(Array(page.utf8)))
        #expect(loaded.findings.filter { $0.rule == .cfg006 }.map(\.file) == [tree.root + "/public/_default/a.css.gz"])
    }

    @Test func `a large page has a gzip form only if the tenant provides it`() throws {
        let large = String(repeating: page, count: PageSet.memoryBytesMax / page.utf8.count + 1)
        for (name, packed, time) in [("good", large, 2_000), ("old", large, 1_000), ("short", page, 2_000)] {
            try put("\(name).txt", Array(large.utf8), modified: 1_500)
            try put("\(name).txt.gz", gzip(packed), modified: time)
        }
        try put("none.txt", Array(large.utf8))
        try put("torn.txt", Array(large.utf8), modified: 1_500)
        try put("torn.txt.gz", [0x1F], modified: 1_500)
        let loaded = try tree.load()
        let good = try answer(loaded, "/good.txt")
        #expect(good.identity.isFile && good.identity.bodyCount == large.utf8.count)
        #expect(good.gzip?.isFile == true && good.gzip?.bodyCount == gzip(large).count)
        for name in ["old", "short", "none", "torn"] {
            let isPacked = try answer(loaded, "/\(name).txt").gzip != nil
            #expect(!isPacked, "\(name)")
        }
        #expect(loaded.findings.filter { $0.rule == .cfg006 }.count == 3)
    }

    @Test(arguments: [0, 1, 100, 70_000])
    func `the server's gzip form unpacks to the page`(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        #expect(Gzip.unpacks(Gzip.compress(bytes), to: bytes))
        #expect(!Gzip.unpacks(Gzip.compress(bytes), to: bytes + [0]))
        #expect(!Gzip.unpacks(Array(Gzip.compress(bytes).dropLast()), to: bytes))
        if count > 0 { #expect(!Gzip.unpacks(Gzip.compress(bytes), to: Array(bytes.dropLast()))) }
    }
}
