// The difference of random rules, compared with the decisions of `match` before and after. ASSOCIATED_DIFFERENCE_PAIRS sets how many
// pairs are tried.

import AssociationSamples
import Foundation
import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

struct OpeningSearchTests {
    private static let pairs =
        ProcessInfo.processInfo.environment["ASSOCIATED_DIFFERENCE_PAIRS"].flatMap { Int($0) } ?? 400

    /// The decision of `match` on a system; false without an app.
    private static func opens(_ url: LinkURL, _ app: AppFile, _ system: PhoneSystem) -> Bool {
        let matching = LinkMatching(of: [app], configPath: "config")
        switch system {
        case .ios: return matching.apple.first?.opens(url) ?? false
        case .ios12: return app.legacyPaths.map { AppleMatcher(paths: $0.rules).decide(url).opens } ?? false
        case .android: return matching.android.first?.opens(url) ?? false
        case .android14: return matching.android.first?.manifest?.decide(url).outcome == .opens
        }
    }

    @Test(arguments: 0..<4)
    func `agrees with match on every URL, and misses none that it does not admit to`(part: Int) throws {
        var generator = RandomApps(seed: UInt64(40 + part))
        var counts: [Bool: Int] = [:]
        for _ in 0..<Self.pairs / 4 {
            let (before, after) = try generator.pair()
            let sides = [before, after].map { PublishedHosts(appFiles: [$0]) }
            let difference = AssociationDifference(from: sides[0], to: sides[1])
            for link in difference.links {
                for system in link.systems {
                    #expect(Self.opens(link.url, before, system) != link.opensNow, "\(link) of \(before.links)")
                    #expect(Self.opens(link.url, after, system) == link.opensNow, "\(link) of \(after.links)")
                }
            }
            for url in generator.urls() {
                for system in PhoneSystem.allCases {
                    let opensNow = Self.opens(url, after, system)
                    if Self.opens(url, before, system) == opensNow { continue }
                    let isFound = difference.links.contains { $0.opensNow == opensNow && $0.systems.contains(system) }
                    counts[isFound, default: 0] += 1
                    #expect(
                        isFound || difference.rests.contains { $0.systems.contains(system) },
                        "\(url) on \(system), \(opensNow): \(before.links) \(after.links)")
                }
            }
        }
        #expect(counts[true] ?? 0 > 20 * (counts[false] ?? 0), "\(counts)")
    }
}

/// Two versions of an app file, and URLs that may distinguish them.
private struct RandomApps {
    private var generator: SplitMix

    init(seed: UInt64) { generator = SplitMix(seed: seed) }

    mutating func pair() throws -> (AppFile, AppFile) {
        var links = (0..<Int.random(in: 1...3, using: &generator)).map { _ in link() }
        let before = try app(links)
        let index = Int.random(in: 0..<links.count, using: &generator)
        switch Int.random(in: 0..<5, using: &generator) {
        case 0 where links.count > 1: links.remove(at: index)
        case 1: links.insert(link(), at: index)
        case 2: links.swapAt(0, index)
        default: links[index] = link()
        }
        return (before, try app(links))
    }

    private mutating func app(_ links: [String]) throws -> AppFile {
        let more = Bool.random(using: &generator) ? "dynamicRules: true" : ""
        return try AppFileSample.app(
            AppFileSample.text(
                ios: "{ appIDs: [\"8KQ2V7M4XN.dev.acme.shop\"], legacyPaths: true }",
                android: AppFileSample.android.dropLast() + ", \(more) }", links: "[\(links.joined(separator: ", "))]"))
    }

    private mutating func link() -> String {
        var members = [#""/": "/\#(generator.text(of: ["a", "b", "*", "?", "/", "a/", "%20"], upTo: 4))""#]
        members[0].replace("//", with: "/")
        if chance(4) { members.append(#""?": { "q": "\#(pattern())" }"#) }
        if chance(8) { members[members.count - 1] = #""?": { "q": "\#(pattern())", "r": "\#(pattern())" }"# }
        if chance(16) { members[members.count - 1] = #""?": "\#(pattern())""# }
        if chance(8) { members.append(##""#": "\##(pattern())""##) }
        if chance(4) { members.append(#""exclude": true"#) }
        if chance(8) { members.append(#""caseSensitive": false"#) }
        return "{ \(members.joined(separator: ", ")) }"
    }

    private mutating func pattern() -> String {
        let text = generator.text(of: ["a", "b", "*", "?", "?*"], upTo: 2)
        return text.isEmpty ? "a" : text
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }

    mutating func urls() -> [LinkURL] {
        (0..<12).compactMap { _ in
            var path = "/" + generator.text(of: ["a", "b", "A", "/", "a/", "%20"], upTo: 5)
            while path.contains("//") { path.replace("//", with: "/") }
            let items = (0..<3).filter { _ in chance(3) }.map { _ in
                (Bool.random(using: &generator) ? "q=" : "r=") + generator.text(of: ["a", "b"], upTo: 2)
            }
            let query = items.isEmpty ? "" : "?" + items.joined(separator: "&")
            let fragment = chance(4) ? "#" + generator.text(of: ["a", "b"], upTo: 2) : ""
            return LinkURL("https://shop.acme.test" + path + query + fragment)
        }
    }
}
