// Which robots.txt files block Google from the association files.

import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct RobotsFileTests {
    @Test(arguments: [
        ("", nil), ("User-agent: *\nDisallow:", nil), ("User-agent: *\nDisallow: /", 2),
        ("User-agent: *\r\nDisallow: /\r\n", 2), ("User-agent: *\nDisallow: /.well-known/ # private", 2),
        ("User-agent: *\nDisallow: /admin/", nil), ("User-agent: bingbot\nDisallow: /", nil),
        ("user-agent: Googlebot\ndisallow: /\n\nUser-agent: *\nDisallow:", 2),
        ("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /admin", nil),
        ("User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /.well", 3),
        ("User-agent: *\nDisallow: /\nAllow: /.well-known/", nil), ("User-agent: *\nAllow: /\nDisallow: /", nil),
        ("User-agent: *\nDisallow: /*.json$", 2), ("User-agent: *\nDisallow: /*.json$x", nil),
        ("User-agent: *\nDisallow: /*/assetlinks", 2), ("User-agent: *\nDisallow: /.well-known$", nil),
        ("User-agent: *\nDisallow: *", 2), ("User-agent: *\nDisallow: /*.txt", nil), ("Disallow: /", nil),
        ("User-agent: *\nDisallow: /.well-known/assetlinks.json$", 2),
    ])
    func `the longest rule of the crawler's own group decides`(text: String, line: Int?) {
        let file = RobotsFile(Array(text.utf8), crawler: "googlebot")
        #expect(file.lineThatBlocks("/.well-known/assetlinks.json") == line)
    }

    @Test func `the finding names the line and the fix`() throws {
        let finding = try #require(RobotsFile.finding(Array("User-agent: *\nDisallow: /\n".utf8), file: "robots.txt"))
        #expect(finding.rule == .ghst007)
        #expect(finding.range?.start.line == 2)
        #expect(finding.fix?.contains("Allow: /.well-known/") == true)
    }
}
