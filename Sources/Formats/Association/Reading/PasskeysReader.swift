// `passkeys` of an app file: `true`, or an object with pages and origins. Each URL is checked as its readers do it, because they
// ignore a wrong one without a message.

import SourceJSON

struct PasskeysReader {
    private let findings: FindingCollector

    init(_ findings: FindingCollector) { self.findings = findings }

    func passkeys(in root: ObjectReader) -> Passkeys? {
        guard let value = root["passkeys"]?.value else { return nil }
        if let isOn = value.asBool { return isOn ? Passkeys() : nil }
        let place = "passkeys"
        let members = findings.read(
            \.asObject, of: value, place.quoted, .app005,
            "but must be true, false or an object with \(AppFileSchema.passkeyKeys.joined(separator: ", "))")
        guard let members else { return nil }
        let object = ObjectReader(members, place, at: value.range, keys: AppFileSchema.passkeyKeys, findings)
        var passkeys = Passkeys()
        for key in Passkeys.pageKeys {
            guard let url = object.string(key), isURL(url, "passkeys.\(key)", isOrigin: false) else { continue }
            passkeys.pages[key] = url.text
        }
        let origins = (object.strings("origins", of: "origins") ?? []).filter {
            isURL($0, "an origin of passkeys", isOrigin: true)
        }
        let unique = findings.unique(
            origins.map { Located(value: $0.text, range: $0.range) }, "passkeys.origins", by: { $0 }, text: { $0 })
        checkLabels(of: unique)
        passkeys.origins = unique.map(\.value)
        return passkeys
    }

    /// A whole https URL in plain ASCII, so that each reader sees the same host; an origin has nothing after the port.
    private func isURL(_ text: LocatedText, _ place: String, isOrigin: Bool) -> Bool {
        let address = WebAddress(text.text)
        let isPlain = text.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
        if let address, isPlain, address.scheme == "https", address.user == nil, !address.host.isEmpty,
            WebSite.problems(in: "https://\(address.host)" + (address.portText.map { ":\($0)" } ?? ""))
                .allSatisfy({ $0.severity != .error }),
            !isOrigin || address.rest.isEmpty && Passkeys.registrableLabel(of: text.text) != nil
        {
            return true
        }
        findings.report(
            .app050, at: text.range,
            "\(place.quoted) is \(text.text.quoted), which is not an https \(isOrigin ? "origin" : "URL"), so clients ignore it",
            fix: isOrigin ? "write https:// and the host, without a slash at the end" : "write a whole https URL")
        return false
    }

    private func checkLabels(of origins: [Located<String>]) {
        var labels: Set<String> = []
        for origin in origins {
            guard let label = Passkeys.registrableLabel(of: origin.value), labels.insert(label).inserted,
                labels.count == Passkeys.labelsMax + 1
            else { continue }
            findings.report(
                .srv007, at: origin.range,
                "the origins have more than five different names, and browsers ignore those after the fifth",
                fix: "list at most five names")
        }
    }
}
