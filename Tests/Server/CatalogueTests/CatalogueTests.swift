// Looking up answers by host and path.

import Catalogue
import HTTP
import Testing

struct CatalogueTests {
    private func page(_ text: String) -> PreparedAnswer {
        let tag = "\"\(text.prefix(20))\""
        var shared = FieldLines()
        shared.add("etag", tag)
        var fields = FieldLines()
        fields.add("x-content-type-options", "nosniff")
        return PreparedAnswer(
            kind: .page,
            identity: Representation(
                sharedFields: shared, contentType: "text/plain", bodyFields: fields, entityTag: tag,
                content: .bytes(Array(text.utf8))))
    }

    private func catalogue(_ sites: [(String, [(String, String)])]) -> Catalogue {
        var builder = CatalogueBuilder()
        for (host, pages) in sites { builder.add(PreparedSite(host: host, answers: pages.map { ($0.0, page($0.1)) })) }
        return Catalogue(layers: [builder.finish()])
    }

    @Test(arguments: [
        ("a.example", "/x", "exact"), ("A.EXAMPLE", "/x", "exact"), ("b.example", "/x", "wildcard"),
        ("c.b.example", "/x", "wildcard"), ("c.deep.example", "/x", "deep"), ("deep.example", "/x", "wildcard"),
        ("d.c.deep.example", "/x", "deep"), ("a.example", "/y", ""), ("a.example", "", ""), ("a.example", "/X", ""),
    ])
    func `the exact host wins, then the most specific wildcard`(host: String, path: String, expected: String) {
        let catalogue = catalogue([
            ("a.example", [("/x", "exact")]), ("*.example", [("/x", "wildcard")]), ("*.deep.example", [("/x", "deep")]),
        ])
        #expect(body(catalogue, host, path) == expected)
    }

    @Test(arguments: [[CatalogueLayer](), [CatalogueBuilder().finish()]])
    func `ignores the case of a host, and nothing else`(older: [CatalogueLayer]) {
        var builder = CatalogueBuilder()
        let letters = "abcdefghijklmnopqrstuvwxyz"
        builder.add(PreparedSite(host: letters, answers: [("/x", page("all"))]))
        for sign in ["@", "[", "`", "{"] { builder.add(PreparedSite(host: sign, answers: [("/x", page(sign))])) }
        let catalogue = Catalogue(layers: [builder.finish()] + older)
        #expect(body(catalogue, letters.uppercased(), "/x") == "all")
        #expect(catalogue.configuredName(of: letters.uppercased()) == letters)
        for sign in ["@", "[", "`", "{"] {
            #expect(body(catalogue, sign, "/x") == sign)
            #expect(catalogue.configuredName(of: sign) == sign)
        }
    }

    @Test func `a closed host has no answer, also not from a wildcard or an older layer`() {
        var older = CatalogueBuilder()
        for host in ["*.example", "a.example", "*.deep.example"] {
            older.add(PreparedSite(host: host, answers: [("/x", page(host))]))
        }
        var newer = CatalogueBuilder()
        for host in ["a.example", "*.deep.example"] { newer.close(host: host) }
        let catalogue = Catalogue(layers: [newer.finish(), older.finish()])
        for host in ["a.example", "A.example", "b.deep.example"] { #expect(body(catalogue, host, "/x") == nil) }
        for host in ["b.example", "b.a.example", "deep.example"] { #expect(body(catalogue, host, "/x") == "*.example") }
    }

    @Test(arguments: ["example", ".example", "", "other", "a.example.org", "aexample", "."])
    func `unknown hosts and a wildcard's parent have no site`(host: String) {
        #expect(body(catalogue([("*.example", [("/x", "y")])]), host, "/x") == nil)
    }

    @Test(arguments: [
        ("a.example", "a.example"), ("A.Example", "a.example"), ("b.example", "*.example"),
        ("c.b.example", "*.example"),
        ("c.deep.example", "*.deep.example"), ("deep.example", "*.example"), ("example", nil), ("other", nil),
        ("", nil),
        (".example", nil),
    ])
    func `finds the name by which a host is configured`(host: String, name: String?) {
        let catalogue = catalogue([("a.example", []), ("*.example", []), ("*.deep.example", [])])
        #expect(catalogue.configuredName(of: host) == name)
    }

    @Test func `lists the tags of all answers`() {
        let catalogue = catalogue([("a.example", [("/x", "one")]), ("*.b.example", [("/x", "two")])])
        #expect(catalogue.entityTags(host: "A.example", path: "/x") == ["\"one\""])
        #expect(catalogue.entityTags(host: "c.b.example", path: "/x") == ["\"two\""])
        #expect(catalogue.entityTags(host: "a.example", path: "/y").isEmpty)
        #expect(catalogue.entityTags(host: "b.example", path: "/x").isEmpty)
    }

    @Test func `a host longer than any name is unknown`() {
        let suffix = ".example"
        let catalogue = catalogue([("*.example", [("/x", "y")])])
        #expect(body(catalogue, String(repeating: "a", count: 253 - suffix.utf8.count) + suffix, "/x") == "y")
        #expect(body(catalogue, String(repeating: "a", count: 254 - suffix.utf8.count) + suffix, "/x") == nil)
    }

    @Test func `ten thousand hosts each have their own answer`() {
        let catalogue = catalogue((0..<10_000).map { ("host\($0).example", [("/x", "body \($0)"), ("/y", "shared")]) })
        for number in 0..<10_000 {
            #expect(body(catalogue, "host\(number).example", "/x") == "body \(number)")
            #expect(body(catalogue, "host\(number).example", "/y") == "shared")
        }
        #expect(catalogue.siteCount == 10_000)
        #expect(body(catalogue, "host10000.example", "/x") == nil)
    }

    @Test func `tells many paths of one host apart`() {
        let catalogue = catalogue([("a", (0..<1_000).map { ("/\($0)", "body \($0)") })])
        for number in 0..<1_000 { #expect(body(catalogue, "a", "/\(number)") == "body \(number)") }
    }

    @Test func `stores equal documents once`() {
        let text = String(repeating: "x", count: 10_000)
        let catalogue = catalogue((0..<1_000).map { ("host\($0).example", [("/x", text)]) })
        #expect(catalogue.byteCount < 200_000)
    }

    @Test func `an empty catalogue has no hosts`() { #expect(body(catalogue([]), "a", "/") == nil) }

    @Test func `fields, tag and forms come back as they went in`() throws {
        var answer = page("plain")
        var coded = page("coded").identity
        coded.content = .bytes([1, 2, 3])
        answer.gzip = coded
        answer.lastModified = 12
        var builder = CatalogueBuilder()
        builder.add(PreparedSite(host: "a", answers: [("/", answer)]))
        let catalogue = Catalogue(layers: [builder.finish()])
        let view = catalogue.view
        let site = try #require(view.site(named: "a"))
        let found = try #require(view.answer(site, at: "/"))
        #expect(found.kind == .page)
        #expect(found.lastModified == 12)
        #expect(found.hasGzip)
        let form = found.form(.identity)
        #expect(
            String(decoding: form.fields, as: UTF8.self)
                == "etag: \"plain\"\r\ncontent-type: text/plain\r\nx-content-type-options: nosniff\r\n")
        #expect(String(decoding: form.sharedFields, as: UTF8.self) == "etag: \"plain\"\r\n")
        #expect(String(decoding: form.contentType, as: UTF8.self) == "content-type: text/plain\r\n")
        #expect(String(decoding: form.otherFields, as: UTF8.self) == "x-content-type-options: nosniff\r\n")
        #expect(form.bodyCount == 5)
        #expect(form.file == nil)
        #expect(String(decoding: found.form(.gzip).entityTag, as: UTF8.self) == "\"coded\"")
        #expect(Array(found.form(.gzip).body) == [1, 2, 3])
    }

    @Test func `readers keep their catalogue until they take the next one`() {
        let published = PublishedCatalogue(catalogue([("a", [("/", "old")])]))
        let first = published.current
        let generation = published.generation
        published.publish(catalogue([("a", [("/", "new")])]))
        #expect(published.generation != generation)
        #expect(body(first, "a", "/") == "old")
        #expect(body(published.current, "a", "/") == "new")
    }

    @Test func `lists each served host once, whichever layers it is in`() {
        var oldest = CatalogueBuilder()
        for host in ["a.example", "*.b.example", "gone.example", "back.example"] {
            oldest.add(PreparedSite(host: host, answers: [("/x", page("old"))]))
        }
        var newer = CatalogueBuilder()
        newer.add(PreparedSite(host: "a.example", answers: [("/x", page("new"))]))
        newer.remove(host: "gone.example")
        newer.remove(host: "back.example")
        var newest = CatalogueBuilder()
        newest.add(PreparedSite(host: "back.example", answers: [("/x", page("again"))]))
        newest.add(PreparedSite(host: "new.example", answers: [("/x", page("new"))]))
        let catalogue = Catalogue(layers: [newest.finish(), newer.finish(), oldest.finish()])
        #expect(catalogue.servedHosts.sorted() == ["*.b.example", "a.example", "back.example", "new.example"])
        #expect(catalogue.servedHosts.count == catalogue.siteCount)
    }
}
