// Which rules of an entry count, and with what they inherit: the one place that knows.

extension AppleDetail {
    /// The rules of the entry as iOS 13 and later read them: `components` where there are any, an empty list included,
    /// otherwise `paths`. With neither, every URL of the host opens the app, by what is seen in the field.
    public func matcher(in links: AppleLinks) -> AppleMatcher {
        let inherited = [defaults, links.defaults].compactMap { $0 }
        if let components {
            return AppleMatcher(components: components, defaults: inherited, variables: links.variables)
        }
        guard let paths else { return AppleMatcher(components: [AppleComponent(path: "*")]) }
        return AppleMatcher(paths: paths.map(\.text), defaults: inherited, variables: links.variables)
    }
}
