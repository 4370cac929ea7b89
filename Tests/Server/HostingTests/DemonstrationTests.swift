// The demonstration pages are consistent: links have targets, and scripts find their elements. EndToEndTests checks them in a
// browser.

import Foundation
import Testing

struct DemonstrationTests {
    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("../../../public/_default").standardizedFileURL

    private static let pages: [String] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: root.path)) ?? []
        return names.filter { $0.hasSuffix(".html") }.sorted()
    }()

    private func text(_ page: String) throws -> String {
        try String(contentsOf: DemonstrationTests.root.appendingPathComponent(page), encoding: .utf8)
    }

    private func matches(_ text: String, _ pattern: Regex<(Substring, Substring)>) -> [String] {
        text.matches(of: pattern).map { String($0.output.1) }
    }

    @Test func `the pages for testing links exist`() {
        let wanted = ["demo/index.html", "demo/destination/index.html", "demo/router/index.html"]
        #expect(Set(DemonstrationTests.pages).isSuperset(of: wanted))
    }

    @Test(arguments: pages)
    func `links to the same host have targets`(page: String) throws {
        for link in try matches(text(page), /(?:href|src|data-path)="(\/[^"?#]*)/)
        where !link.hasPrefix("/.well-known/") {
            // Links that the app opens have no page.
            if link.hasPrefix("/products/") || link == "/search" { continue }
            let file = DemonstrationTests.root.appendingPathComponent(link.hasSuffix("/") ? link + "index.html" : link)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link)")
        }
    }

    @Test(arguments: pages)
    func `scripts, labels and hints refer to existing, unique elements`(page: String) throws {
        let text = try text(page)
        let names = matches(text, /\sid="([^"]+)"/)
        #expect(Set(names).count == names.count)
        let wanted =
            matches(text, /getElementById\("([^"]+)"\)/) + matches(text, /\sfor="([^"]+)"/)
            + matches(text, /\saria-(?:describedby|labelledby|controls)="([^"]+)"/)
        #expect(Set(wanted).subtracting(names) == [], "\(page)")
        let attributes = matches(text, /querySelector(?:All)?\("[^"\[]*\[([a-z-]+)\]"\)/)
        for attribute in attributes { #expect(text.contains(" \(attribute)=\""), "\(page): \(attribute)") }
    }

    @Test(arguments: pages)
    func `pages load nothing from other hosts`(page: String) throws {
        #expect(try matches(text(page), /(?:src|<link[^>]*href)="(https?:[^"]*)"/) == [])
    }
}
