// A layer with every kind of content, for tests of its bytes.

import HTTP

@testable import Catalogue

extension PreparedAnswer {
    static func sample(_ content: Representation.Content, tag: String = "\"tag\"") -> PreparedAnswer {
        var shared = FieldLines()
        if !tag.isEmpty { shared.add("etag", tag) }
        return PreparedAnswer(
            kind: .page,
            identity: Representation(
                sharedFields: shared, contentType: "text/plain", bodyFields: FieldLines(), entityTag: tag,
                content: content))
    }

    static func page(_ text: String, tag: String = "") -> PreparedAnswer { sample(.bytes(Array(text.utf8)), tag: tag) }
}

extension CatalogueView {
    func site(named host: String) -> Site? {
        let name = Array(host.utf8)
        return site(host: name.span)
    }

    func answer(_ site: Site, at path: String) -> Answer? {
        Array(path.utf8).withUnsafeBytes { answer(site, path: $0) }
    }
}

/// The body for a path; empty when the site has none, nil when there is no site.
func body(_ catalogue: Catalogue, _ host: String, _ path: String = "/") -> String? {
    let view = catalogue.view
    return withExtendedLifetime(catalogue) {
        view.site(named: host).map { site in
            view.answer(site, at: path).map { String(decoding: $0.form(.identity).body, as: UTF8.self) } ?? ""
        }
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
