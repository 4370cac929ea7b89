// Which rules of an entry count, and with what they inherit: the one place that knows.

extension AppleDetail {
    /// The rules of the entry as iOS 13 and later read them: `components` where there are any, an empty list included,
    /// otherwise `paths`. With neither, every URL of the host opens the app, by what is seen in the field.
    public func matcher(in links: AppleLinks) -> AppleMatcher {
        matcher(
            defaults: [defaults, links.defaults].compactMap { $0 }, table: SubstitutionTable(links.variables))
    }

    /// The same with the variables of a file that has many entries; `defaults` are nearest first.
    func matcher(defaults: [AppleComponent], table: SubstitutionTable) -> AppleMatcher {
        if components == nil, paths == nil { return AppleMatcher(components: [AppleComponent(path: "*")]) }
        return componentMatcher(defaults: defaults, table: table) ?? pathMatcher(defaults: defaults, table: table)
    }

    /// The first of the `components`, or all; nil where there is no such list.
    func componentMatcher(
        first count: Int? = nil, defaults: [AppleComponent], table: SubstitutionTable
    ) -> AppleMatcher? {
        components.map {
            var matcher = AppleMatcher(
                components: Array($0.prefix(count ?? $0.count)), defaults: defaults, table: table)
            matcher.gaps = ignoredComponents
            return matcher
        }
    }

    /// The first of the `paths`, or all, whether or not there are `components` beside them.
    func pathMatcher(first count: Int? = nil, defaults: [AppleComponent], table: SubstitutionTable) -> AppleMatcher {
        let paths = (paths ?? []).prefix(count ?? .max)
        var matcher = AppleMatcher(
            paths: paths.map(\.text), ranges: paths.map(\.range), defaults: defaults, table: table)
        matcher.gaps = ignoredPaths
        return matcher
    }
}
