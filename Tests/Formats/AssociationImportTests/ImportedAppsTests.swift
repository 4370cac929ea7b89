// Published files to app files: how many, with which names, and what is said about content that they do not have.

import Association
import AssociationImport
import Testing

struct ImportedAppsTests {
    private static func imported(
        _ texts: [String], name: String? = nil, signedContent: @escaping ([UInt8]) -> [UInt8]? = { _ in nil }
    ) throws -> (apps: ImportedApps, files: [(name: String, text: String)]) {
        var apps = ImportedApps(hosts: ["acme.test"], signedContent: signedContent)
        for (index, text) in texts.enumerated() {
            guard case .added = apps.add(Array(text.utf8), file: "file\(index)") else {
                Issue.record("\(text) was not added")
                continue
            }
        }
        let files = try apps.files(name: name)
        return (apps, files)
    }

    private static func apple(_ entries: String...) -> String {
        #"{"applinks": {"details": [\#(entries.joined(separator: ", "))]}}"#
    }

    private static func entry(_ id: String, _ rules: String) -> String {
        #"{"appIDs": ["A1B2C3D4E5.\#(id)"], \#(rules)}"#
    }

    private static let statement = """
        [{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app",
          "package_name": "com.acme.shop", "sha256_cert_fingerprints": []}}]
        """
    private static let components = #""components": [{"/": "/new/*"}]"#

    @Test(arguments: [
        ([apple(entry("com.acme.shop", components))], ["shop.json"]),
        ([apple(entry("com.acme.shop", components)), statement], ["shop.json"]),
        ([apple(entry("com.acme.shop", components), entry("com.acme.shop.beta", components))], ["shop.json"]),
        (
            [apple(entry("com.acme.shop", components), entry("com.acme.news", #""components": [{"/": "/n"}]"#))],
            ["shop.json", "news.json"]
        ),
        (
            [apple(entry("com.acme.shop", components), entry("org.acme.shop", #""paths": ["/a"]"#))],
            ["shop.json", "shop-2.json"]
        ),
    ])
    func `each app has a file, with all of its builds and platforms`(texts: [String], names: [String]) throws {
        let (_, files) = try Self.imported(texts)
        #expect(files.map(\.name) == names)
        for file in files {
            #expect(AppFile.read(Array(file.text.utf8), file: file.name).hosts.map(\.text) == ["acme.test"])
        }
    }

    @Test(arguments: [
        (#""components": [{"/": "/new/*"}], "paths": ["/old/*"]"#, "lost: /old/*", true),
        (#""components": [{"/": "/new/*"}], "paths": ["/new/*"]"#, "only its components were imported", false),
        (#""paths": ["/new/*"]"#, nil, false),
    ])
    func `components win over paths, and lost paths are named`(rules: String, remark: String?, isLoss: Bool) throws {
        let (apps, files) = try Self.imported([Self.apple(Self.entry("com.acme.shop", rules))])
        #expect(files.first?.text.contains(#"{ "/": "/new/*" }"#) == true)
        #expect(files.first?.text.contains("/old") == false)
        #expect(apps.remarks.contains { $0.hasSuffix(remark ?? "") || $0.contains(remark ?? "") } == (remark != nil))
        #expect(apps.hasLoss == isLoss)
    }

    @Test func `a name is for the only app`() throws {
        let one = Self.apple(Self.entry("com.acme.shop", Self.components))
        let (_, named) = try Self.imported([one], name: "Müller & Co")
        #expect(named.map(\.name) == ["mullerco.json"])
        #expect(named.first?.text.contains(#""name": "Müller & Co""#) == true)
        let two = Self.apple(
            Self.entry("com.acme.shop", Self.components), Self.entry("com.acme.news", #""components": [{"/": "/n"}]"#))
        let (apps, files) = try Self.imported([two], name: "A")
        #expect(files.map(\.name) == ["shop.json", "news.json"])
        #expect(apps.remarks.contains { $0.hasPrefix("--name was ignored") })
    }

    @Test func `of a signed file, the content is imported`() throws {
        let content = Array(Self.apple(Self.entry("com.acme.shop", Self.components)).utf8)
        let signed = [0x30, 0x80, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02] as [UInt8]
        var apps = ImportedApps(hosts: ["acme.test"]) { $0 == signed ? content : nil }
        guard case .added = apps.add(signed, file: "aasa") else { throw UnexpectedOutcome() }
        #expect(try apps.files(name: nil).map(\.name) == ["shop.json"])
        #expect(apps.remarks.contains { $0.hasPrefix("aasa is signed; ") })
        var unread = ImportedApps(hosts: ["acme.test"]) { _ in nil }
        guard case .unreadable = unread.add(signed, file: "aasa") else { throw UnexpectedOutcome() }
        guard case .secondOfKind("aasa") = apps.add(content, file: "other") else { throw UnexpectedOutcome() }
        guard case .otherKind = apps.add([], file: "empty") else { throw UnexpectedOutcome() }
    }

    private struct UnexpectedOutcome: Error {}
}
