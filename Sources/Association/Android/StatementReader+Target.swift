// The two targets that Android knows: an app with its certificates, and a web site.

import SourceJSON

extension StatementReader {
    private static let appKeys = ["package_name", "sha256_cert_fingerprints"]

    mutating func androidApp(
        _ members: [SourceMember], range: SourceRange, relations: [LocatedText]
    ) -> StatementTarget? {
        var package: LocatedText?
        var fingerprints: [LocatedText]?
        for member in members {
            switch member.key {
            case "namespace": continue
            case "package_name": package = packageName(member.value)
            case "sha256_cert_fingerprints": fingerprints = self.fingerprints(member.value, relations: relations)
            case Self.dynamicRulesKey: reportMisplacedRules(member, in: "a target")
            default: reportUnknownKey(member, in: "an android_app target", known: Self.appKeys, beside: members)
            }
        }
        if !members.contains(where: { $0.key == "package_name" }) {
            reject()
            findings.report(
                .dal009, at: range, "the target has no package_name, so Google rejects the statement",
                fix: "add the applicationId of the app")
        }
        if !members.contains(where: { $0.key == "sha256_cert_fingerprints" }) {
            reject()
            findings.report(
                .dal012, at: range,
                "the target has no sha256_cert_fingerprints, so Google rejects the statement and no certificate is "
                    + "trusted",
                fix: "add an array of fingerprints")
        }
        guard let package else { return nil }
        return .androidApp(package: package, fingerprints: fingerprints ?? [])
    }

    private mutating func packageName(_ value: SourceValue) -> LocatedText? {
        guard case .string(let text) = value.kind else {
            reject()
            findings.report(
                .dal009, at: value.range, "package_name is \(value.spokenName), so Google rejects the statement",
                fix: "write the applicationId of the app")
            return nil
        }
        for problem in PackageName.problems(in: text) {
            if problem.severity == .error { reject() }
            findings.report(problem, at: value.range)
        }
        return LocatedText(text, range: value.range)
    }

    private mutating func fingerprints(_ value: SourceValue, relations: [LocatedText]) -> [LocatedText] {
        guard case .array(let elements) = value.kind else {
            var edit: SourceEdit?
            if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
            reject()
            findings.report(
                .dal012, at: value.range,
                "sha256_cert_fingerprints is \(value.spokenName), so Google rejects the statement and Chromium finds no "
                    + "match",
                fix: "write an array of strings", edit: edit)
            return []
        }
        if elements.isEmpty {
            reject()
            findings.report(
                .dal012, at: value.range,
                "sha256_cert_fingerprints is empty, so Google rejects the statement and no certificate is trusted",
                fix: "add the fingerprint of the app's certificate")
        }
        var fingerprints: [LocatedText] = []
        var seen: Set<ExactText> = []
        for element in elements {
            guard case .string(let text) = element.kind else {
                reject()
                findings.report(
                    .dal011, at: element.range,
                    "a fingerprint is \(element.spokenName), so Google rejects the statement",
                    fix: "write a string")
                continue
            }
            let problems = Fingerprint.problems(in: text)
            for problem in problems { findings.report(problem, at: element.range) }
            if problems.contains(where: { $0.severity == .error }) { reject() }
            if !seen.insert(ExactText(text)).inserted {
                findings.report(
                    .dal025, at: element.range, "the fingerprint stands twice in this statement", fix: "remove one",
                    severity: .note)
            }
            fingerprints.append(LocatedText(text, range: element.range))
        }
        if elements.count == 1, relations.contains(where: { $0.text == StatementRelation.handleAllURLs }) {
            findings.reportOnce(
                .dal014, at: elements[0].range,
                "the app has one fingerprint; with Play App Signing it has to be the app signing key of the Play "
                    + "Console, and keytool prints the upload key",
                fix: "compare it with App integrity in the Play Console")
        }
        return fingerprints
    }

    mutating func web(_ members: [SourceMember], range: SourceRange, relations: [LocatedText]) -> StatementTarget? {
        for member in members where !["namespace", "site"].contains(member.key) {
            reportUnknownKey(member, in: "a web target", known: ["site"], beside: members)
        }
        let site = members.last { $0.key == "site" }
        guard case .string(let text)? = site?.value.kind, let site else {
            reject()
            let what = site.map { "site is \($0.value.spokenName)" } ?? "the target has no site"
            findings.report(
                .dal016, at: site?.value.range ?? range,
                "\(what), so Google rejects the statement",
                fix: "write \"site\": \"https://…\"")
            return nil
        }
        let isForWebAPK = !relations.isEmpty && relations.allSatisfy { $0.text == StatementRelation.queryWebAPK }
        for problem in WebSite.problems(in: text, isForWebAPK: isForWebAPK) {
            if problem.severity == .error { reject() }
            if problem.rule == .dal017 { reject(for: [.google]) }
            findings.report(problem, at: site.value.range)
        }
        return .web(site: LocatedText(text, range: site.value.range))
    }
}
