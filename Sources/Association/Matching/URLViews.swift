// A URL in the readings that rules ask for. Each is made at most once for a decision, and most decisions need only the
// plain one, which copies nothing but the path.

/// The pieces of a URL in one reading.
struct URLView {
    /// With its slashes in Apple's one form.
    let path: [UInt8]
    /// Empty when the URL has none, which is how Apple treats it.
    let query: [UInt8]
    let fragment: [UInt8]

    init(_ url: LinkURL, _ reading: URLReading, dropsSlashes: Bool = false) {
        let written = reading.read(url.pathBytes)
        path = dropsSlashes ? AppleSlashes.dropped(written) : AppleSlashes.normalised(written)
        query = reading.read(url.queryBytes ?? [])
        fragment = reading.read(url.fragmentBytes ?? [])
    }
}

/// The readings of one URL. The plain one is made at once, the others when they are first asked for.
struct URLViews {
    let url: LinkURL
    let plain: URLView
    private var others: [URLView?] = []
    private var items: [QueryItems?] = []
    /// Whether a pattern needed more steps than the limit since this was last set.
    var ranOut = false
    /// What the patterns compared so far may have cost, in steps of a nanosecond or so.
    private(set) var work = 0

    init(_ url: LinkURL) {
        self.url = url
        plain = URLView(url, .plain)
    }

    mutating func view(_ reading: URLReading) -> URLView {
        if reading.isPlain { return plain }
        if others.isEmpty { others = [nil, nil, nil] }
        if let view = others[reading.index - 1] { return view }
        let view = URLView(url, reading)
        others[reading.index - 1] = view
        return view
    }

    /// Whether the pattern matches; running out of steps counts as no, and is remembered.
    mutating func matches(_ pattern: GlobPattern, _ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        work += pattern.work(over: range.count)
        let outcome = pattern.test(bytes, range)
        if outcome == nil { ranOut = true }
        return outcome == true
    }

    mutating func matches(_ pattern: GlobPattern, _ bytes: [UInt8]) -> Bool {
        matches(pattern, bytes, 0..<bytes.count)
    }

    mutating func items(_ reading: URLReading) -> QueryItems {
        if items.isEmpty { items = [nil, nil, nil, nil] }
        if let items = items[reading.index] { return items }
        let made = QueryItems(url.queryBytes, reading)
        items[reading.index] = made
        return made
    }
}
