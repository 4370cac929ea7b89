// A layer with every kind of content, for tests of its bytes.

import HTTP

@testable import Catalogue

extension PreparedAnswer {
    static func sample(_ content: Representation.Content) -> PreparedAnswer {
        var shared = FieldLines()
        shared.add("etag", "\"tag\"")
        return PreparedAnswer(
            kind: .page,
            identity: Representation(
                sharedFields: shared, contentType: "text/plain", bodyFields: FieldLines(), entityTag: "\"tag\"",
                content: content))
    }
}

extension CatalogueLayer {
    static func sample(hostCount: Int = 3, hash: KeyHash = KeyHash()) -> CatalogueLayer {
        var builder = CatalogueBuilder(hash: hash)
        for number in 0..<hostCount {
            let item = LinkRule.Item(name: Array("q".utf8), pattern: LinkPattern(Array("?*".utf8)))
            let landing = PreparedLanding(
                rules: [LinkRule(path: LinkPattern(Array("/p/\(number)".utf8)), items: [item])],
                head: PreparedAnswer.sample(.bytes([])),
                segments: [LandingSegment(Array("to \(number)".utf8), then: .attribute)])
            builder.add(
                PreparedSite(
                    host: "h\(number).example",
                    answers: [("/", PreparedAnswer.sample(.bytes(Array("body \(number)".utf8))))],
                    landings: [landing], fallback: PreparedAnswer.sample(.bytes([1]))))
        }
        builder.remove(host: "*.gone.example")
        return builder.finish()
    }

    var imageBytes: [UInt8] { withExtendedLifetime(self) { Array(bytes) } }
}
