// The pages that come with the project agree with themselves: links lead somewhere, and scripts find what they look for.
// That they work in a browser is tested by EndToEndTests.

import Foundation
import Testing

struct DemonstrationTests {
    private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("../../public/_default").standardizedFileURL

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

    @Test func `there are the pages that people test links with`() {
        let wanted = ["demo/index.html", "demo/destination/index.html", "demo/router/index.html"]
        #expect(Set(DemonstrationTests.pages).isSuperset(of: wanted))
    }

    @Test(arguments: pages)
    func `links of the page's own host lead to files or documents`(page: String) throws {
        for link in try matches(text(page), /(?:href|src|data-path)="(\/[^"?#]*)/)
        where !link.hasPrefix("/.well-known/") {
            // What a link of the demonstration shows to the app is no page of ours.
            if link.hasPrefix("/products/") || link == "/search" { continue }
            let file = DemonstrationTests.root.appendingPathComponent(link.hasSuffix("/") ? link + "index.html" : link)
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page): \(link)")
        }
    }

    @Test(arguments: pages)
    func `scripts, labels and hints name elements that are there, once`(page: String) throws {
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
    func `pages load nothing from elsewhere`(page: String) throws {
        #expect(try matches(text(page), /(?:src|<link[^>]*href)="(https?:[^"]*)"/) == [])
    }
}
