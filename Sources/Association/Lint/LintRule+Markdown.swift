// The catalogue as docs/rules.md: one section for each rule, so that `docs/rules.md#aasa-019` is an address.

extension LintRule {
    /// The text of docs/rules.md. A test holds the file to it.
    public static func markdown() -> String {
        var text = """
            # Lint rules

            Printed from the catalogue in `Sources/Association/Lint`; do not edit by hand.

            - **error**: the association fails, or a rule cannot work. Nothing with an error is published.
            - **warning**: some consumer or system version breaks, or it is probably a mistake.
            - **note**: worth knowing.

            Where a rule has two severities, the first is the usual one; the message of a finding says why it has the other.

            Rules about a host need a look at the network (`associated check`), rules about the native project a look at
            the entitlement or the manifest. Rules about the server are found in its own files, while it loads or runs.
            All others are found by `associated lint` in the file alone.

            """
        for family in RuleID.Family.allCases where !family.rules.isEmpty {
            text += "\n## \(family.title)\n"
            for rule in family.rules { text += rule.section }
        }
        return text
    }

    private var section: String {
        let place =
            switch subject {
            case .document: ""
            case .nativeProject: " (native project)"
            case .host: " (host)"
            case .installation: " (server)"
            }
        let origins = sources.map(\.title).joined(separator: "; ")
        return """

            ### \(id)

            **\(severities.map(\.rawValue).joined(separator: "** or **"))**\(place): \(title)

            \(why) To mend it: \(fix)

            Sources: \(origins).

            """
    }
}
