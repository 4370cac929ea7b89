// The rules of an app file.

import SourceJSON

extension AppFileReader {
    private static let linkKeys = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded", "comment"]

    mutating func links(in fields: AppFileFields) -> [AppleComponent] {
        guard let values = elements("links", in: fields, of: "rules") else { return [] }
        var links: [AppleComponent] = []
        for (index, value) in values.enumerated() {
            if let link = link(value, place: "links[\(index)]") { links.append(link) }
        }
        return links
    }

    private mutating func link(_ value: SourceValue, place: String) -> AppleComponent? {
        if case .string(let path) = value.kind {
            wrongType(value, place, wanted: "an object", fix: "write { \"/\": \(path.quoted) }")
            return nil
        }
        guard let fields = fields(of: value, place: place, known: Self.linkKeys) else { return nil }
        var link = AppleComponent(range: value.range)
        link.path = pattern("/", in: fields)
        link.query = query(in: fields)
        link.fragment = pattern("#", in: fields)
        link.exclude = bool("exclude", in: fields)?.value
        link.caseSensitive = bool("caseSensitive", in: fields)?.value
        link.percentEncoded = bool("percentEncoded", in: fields)?.value
        link.comment = string("comment", in: fields)?.value
        return link
    }

    private mutating func pattern(_ key: String, in fields: AppFileFields) -> String? {
        guard let text = string(key, in: fields) else { return nil }
        checkLength(text.value, text.range, fields.path(key))
        return text.value
    }

    private mutating func checkLength(_ pattern: String, _ range: SourceRange, _ place: String) {
        guard pattern.unicodeScalars.count > Self.patternMax else { return }
        report(.outOfRange, range, "\(place.quoted) is a pattern of more than \(Self.patternMax) characters")
    }

    /// A pattern for the whole query, or one for each named item. An empty pattern is a pattern: no query, no item.
    private mutating func query(in fields: AppFileFields) -> AppleQuery? {
        guard let value = fields["?"]?.value else { return nil }
        let place = fields.path("?")
        switch value.kind {
        case .string(let pattern):
            checkLength(pattern, value.range, place)
            return .whole(pattern)
        case .object:
            var items: [QueryItemPattern] = []
            for member in named(value, place: place, wanted: "an object", max: Self.elementsMax) {
                let place = "\(place)[\(member.key)]"
                if case .string(let pattern) = member.value.kind {
                    checkLength(pattern, member.value.range, place)
                    items.append(QueryItemPattern(name: member.key, pattern: pattern))
                } else {
                    wrongType(
                        member.value, place, wanted: "a string; Apple would drop the whole query",
                        fix: "put it in quotes")
                }
            }
            return .items(items)
        default:
            wrongType(value, place, wanted: "a string, or an object of strings")
            return nil
        }
    }
}
