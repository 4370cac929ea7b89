// The parts of the list of association files, and the fetches.

import Telemetry
import Testing

@testable import Administration

struct ServedDocumentsTests {
    @Test func `reads what it writes`() throws {
        #expect(ServedDocuments(json: Samples.documents.json) == Samples.documents)
        #expect(ServedDocuments(json: Samples.lastDocuments.json) == Samples.lastDocuments)
        #expect(RecentFetches(json: Samples.fetches.json) == Samples.fetches)
    }

    @Test(arguments: ["", "[]", "{}", "{\"digest\":\"00\",\"hosts\":[]}", "{\"hosts\":[],\"more\":false}"])
    func `rejects other answers`(text: String) {
        #expect(ServedDocuments(json: Array(text.utf8)) == nil)
        #expect(RecentFetches(json: Array(text.utf8)) == nil)
    }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 7, 20])
    func `the parts have every name once, in order`(count: Int) {
        let all = (0..<count).map { "h\($0 * 7 % 23).example.com" }
        var (found, after, parts): ([String], String, Int) = ([], "", 0)
        while true {
            let (names, hasMore) = ServedDocuments.names(after: after, of: all.shuffled(), countMax: 2)
            #expect(names.count <= 2)
            found += names
            parts += 1
            guard hasMore, let last = names.last else { break }
            after = last
        }
        #expect(found == all.sorted())
        #expect(parts == max(1, (count + 1) / 2))
    }

    @Test func `fetches are listed earliest first`() {
        #expect(Samples.fetches.fetches.map(\.host) == ["news.example.com", "shop.example.com"])
    }

    @Test(arguments: [(0, false), (1, false), (RecentFetches.fetchesMax, false), (RecentFetches.fetchesMax + 1, true)])
    func `one answer has so many fetches at most`(count: Int, hasMore: Bool) {
        let fetches = RecentFetches(
            (0..<count).map {
                .init(host: "a", verifier: .appleCDN, tag: "", seconds: Int64(count - $0), isConfirmed: false)
            })
        #expect(fetches.hasMore == hasMore && fetches.fetches.count == min(count, RecentFetches.fetchesMax))
        #expect(fetches.fetches.first?.seconds == (count == 0 ? nil : 1))
        #expect(RecentFetches(json: fetches.json) == fetches)
    }

    @Test func `thousands of claimed fetches hide no confirmed one of the same second`() {
        let claimed = (0..<2 * RecentFetches.fetchesMax).map {
            RecentFetches.Fetch(host: "a\($0)", verifier: .appleCDN, tag: "", seconds: 1, isConfirmed: false)
        }
        let confirmed = RecentFetches.Fetch(host: "z", verifier: .appleCDN, tag: "", seconds: 1, isConfirmed: true)
        #expect(RecentFetches(claimed + [confirmed]).fetches.first == confirmed)
    }

    @Test func `the metrics have a line for each verifier and state`() {
        let families = Samples.deliveries.families
        let text = String(decoding: MetricsText.bytes(of: families), as: UTF8.self)
        #expect(text.contains("associated_delivery_hosts{verifier=\"google\",state=\"foreign\"} 1\n"))
        #expect(text.contains("associated_delivery_late_hosts{verifier=\"apple\"} 3\n"))
        #expect(text.contains("associated_delivery_verifier_reachable{verifier=\"apple\"} 1\n"))
        #expect(text.contains("associated_delivery_webhook_messages_waiting 2\n"))
        #expect(families.allSatisfy { $0.kind == .gauge })
    }
}
