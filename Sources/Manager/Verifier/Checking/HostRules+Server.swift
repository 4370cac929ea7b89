// Rules for everything except the two files: names and hosts that do not exist, and the other well-known files.

import Association
import AssociationLint
import Client
import Posix

extension HostRules {
    mutating func judgeServer() {
        if let response = answers.response(.unknownName), response.status == 200 {
            report(
                .srv001, .unknownName, "the answer for a well-known file that does not exist is 200",
                fix: "answer 404 for missing files under /.well-known/")
        }
        for document in Probe.Document.allCases {
            guard let response = answers.response(.unknownHost(document)), response.status == 200,
                let body = response.plainBody, !response.isPage, let own = answers.body(document)
            else { continue }
            let whose = body == own ? "this host's file" : "another host's file"
            report(
                .srv002, .unknownHost(document), "a host that is not configured is answered with \(whose)",
                fix: "answer 404 or 421 for hosts that are not configured")
        }
        if let response = answers.response(.challenge), response.isRedirect,
            let location = response["location"].flatMap({ WebLocation($0) }), location.host.name != answers.host.name
        {
            report(
                .srv004, .challenge,
                "ACME challenges are redirected to \(location.host.name), so the certificate cannot be renewed",
                fix: "answer /.well-known/acme-challenge/ on this host over plain http")
        }
        judgeDrift()
    }

    mutating func judgeWellKnownFiles() {
        for name in Probe.wellKnownNames {
            guard let response = answers.response(.wellKnown(name)), !isRedirectedLikeAny(name, response) else {
                continue
            }
            judge(name, response)
        }
    }

    /// Whether a file is redirected like one that cannot exist; then it is unknown whether the file exists.
    private func isRedirectedLikeAny(_ name: String, _ response: FetchedResponse) -> Bool {
        guard response.isRedirect, let other = answers.response(.unknownName), other.status == response.status else {
            return false
        }
        func place(_ response: FetchedResponse, _ probe: Probe) -> String {
            (response["location"] ?? "").replacing(probe.path, with: "")
        }
        return place(response, .wellKnown(name)) == place(other, .unknownName)
    }

    private mutating func judge(_ name: String, _ response: FetchedResponse) {
        let probe = Probe.wellKnown(name)
        let isElsewhere = response.isRedirect && !staysOnSite(response)
        switch name {
        case "change-password" where [301, 308].contains(response.status):
            report(
                .srv006, probe, "the redirect is permanent, so clients cache it forever",
                fix: "answer 302, 303 or 307")
        case "change-password" where isElsewhere:
            report(.srv006, probe, "the redirect leads to another site", fix: "redirect to the form on this site")
        case "passkey-endpoints" where response.isRedirect:
            report(
                .srv008, probe, "the answer is a redirect, which clients need not follow",
                fix: "answer 200 on the host itself")
        case "apple-developer-merchantid-domain-association" where response.isRedirect:
            report(
                .srv011, probe, "the answer is a redirect, which Apple does not follow",
                fix: "serve the file on this host")
        case "microsoft-identity-association.json"
        where response.status == 200 && response["content-type"]?.contains(";") == true:
            report(
                .srv009, probe,
                "content-type is \(response["content-type"] ?? ""), but Microsoft's verifier accepts no parameters",
                fix: "send exactly application/json")
        default: judgeContent(name, response)
        }
    }

    /// Judges an answer with 200 that is not a catch-all page.
    private mutating func judgeContent(_ name: String, _ response: FetchedResponse) {
        let probe = Probe.wellKnown(name)
        guard response.status == 200, let body = response.plainBody, !response.isPage else { return }
        // An answer that every name gets is not this file (SRV-001).
        if let other = answers.response(.unknownName), other.status == 200, other.plainBody == body { return }
        if name == "webauthn", response.mediaType != "application/json" {
            report(
                .srv007, probe, "content-type is \(response.mediaType ?? "missing"), so browsers reject the file",
                fix: "send application/json")
        }
        let isShadowed =
            name == "windows-app-web-link.json" && answers.response(.wellKnown("windows-app-web-link"))?.status == 200
        if isShadowed { return }
        let findings = WellKnownFile.lint(body, name: name, file: answers.name(probe), now: Clock.wallSeconds())
        for finding in findings { report(finding) }
    }

    /// Whether a redirect stays on the site: this host, a host below it, or one above it.
    private func staysOnSite(_ response: FetchedResponse) -> Bool {
        guard let text = response["location"] else { return true }
        guard let location = WebLocation(text) else { return !text.contains("://") && !text.hasPrefix("//") }
        let (own, other) = (answers.host.name, location.host.name)
        return own == other || other.hasSuffix(".\(own)") || own.hasSuffix(".\(other)")
    }

    /// Finds a URL that opens the app on one platform only, if there are dynamic rules for Android.
    private mutating func judgeDrift() {
        guard let appleBody = answers.body(.apple), let androidBody = answers.body(.statements) else { return }
        // Both files come from one app file, and lint reports the differences between the platforms.
        if isOwnRendering(.apple), isOwnRendering(.statements) { return }
        let apple = AppleAssociation.read(appleBody, file: "")
        let statements = StatementList.read(androidBody, file: "", host: answers.host.name)
        guard let links = apple.association?.applinks, links.details.count == 1, let detail = links.details.first,
            detail.components != nil, let rules = statements.list?.statements.compactMap(\.dynamicRules),
            rules.count == 1
        else { return }
        let comparison = RuleComparison.differences(
            between: .apple(detail.matcher(in: links)),
            and: .android(AndroidMatcher(rules: rules[0])), host: answers.host.name)
        guard let witness = comparison.witnesses.first else { return }
        let (one, other) = witness.first.opens ? ("iOS", "Android") : ("Android", "iOS")
        report(
            .srv014, .file(.apple), "the two files disagree: \(witness.url) opens the app on \(one) but not on \(other)"
        )
    }
}
