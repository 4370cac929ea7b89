// Renders a site from values, without a file system.

import Association
import Catalogue
import Certificates
import TLS
import Testing

@testable import Hosting

struct SiteRendererTests {
    private let renderer = SiteRenderer(signer: DocumentSigner(hostsPath: "/nowhere"))

    private func app(_ hosts: [String], id: String = "8KQ2V7M4XN.dev.associated.shop") throws -> LoadedAppFile {
        let text = ConfigTree.shop(hosts: hosts, id: id)
        return LoadedAppFile(try #require(AppFile.read(Array(text.utf8), file: id).appFile), modified: 1_700_000_000)
    }

    @Test func `rendering a host twice gives the same site`() throws {
        let source = SiteSource(host: "a.example.com", apps: [try app(["a.example.com"])], folders: [])
        let site = try #require(renderer.render(source).site)
        #expect(
            Set(site.answers.map(\.path)) == [
                "/.well-known/apple-app-site-association", "/apple-app-site-association",
                "/.well-known/assetlinks.json",
            ])
        #expect(site.landings.count == 1)
        let again = try #require(renderer.render(source).site)
        #expect(Dictionary(uniqueKeysWithValues: site.answers) == Dictionary(uniqueKeysWithValues: again.answers))
    }

    @Test func `documents with errors leave no site`() throws {
        let many = try (0..<3000).map { try app(["a.example.com"], id: "8KQ2V7M4XN.dev.associated.shop\($0)") }
        let rendered = try renderer.render(SiteSource(host: "a.example.com", apps: many, folders: []))
        #expect(rendered.site == nil)
        #expect(rendered.findings.contains { $0.rule == .app045 })
    }
}
