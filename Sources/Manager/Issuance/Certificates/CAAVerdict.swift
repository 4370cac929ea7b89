// Judges CAA records as a certificate authority does (RFC 8659 §4), with the parameters for accounts and validation
// methods (RFC 8657). The records are those that `CAASearch` found for a host. Domain owners write them, so anything
// can be in them.

import DNS

/// Whether CAA records allow a certificate.
enum CAAVerdict: Hashable, Sendable {
    case allowed
    /// `wanted` is the record that would allow it, if one is missing.
    case forbidden(reason: String, wanted: String?)

    /// The tags that authorities know (RFC 8659 §4, RFC 9495).
    private static let knownTags: Set<String> = ["issue", "issuewild", "issuemail", "iodef"]

    /// - Parameter name: the name that has the records: the host itself or a parent.
    static func judge(
        _ records: [CAARecord], of host: DomainName, at name: DomainName, _ rules: PreflightRules
    ) -> CAAVerdict {
        if let record = records.first(where: { $0.isCritical && !knownTags.contains($0.tag) }) {
            let reason = "the CAA record \(record.zoneText) of \(name) is critical and has an unknown tag"
            return .forbidden(reason: "\(reason), so no authority issues a certificate; remove it", wanted: nil)
        }
        let hasWildcardRecords = records.contains { $0.tag == "issuewild" }
        let tag = host.isWildcard && hasWildcardRecords ? "issuewild" : "issue"
        let authorizations = records.filter { $0.tag == tag }.map { CAAAuthorization($0.value) }
        if authorizations.isEmpty { return .allowed }

        let identities = rules.caaIdentities.map { $0.lowercased() }.filter { !$0.isEmpty }
        guard let identity = identities.first else {
            if authorizations.contains(where: { !$0.issuer.isEmpty }) { return .allowed }
            return .forbidden(
                reason: "the CAA records of \(name) forbid all certificates; add one for your authority", wanted: nil)
        }
        let ours = authorizations.filter { identities.contains($0.issuer) }
        if ours.isEmpty {
            let wanted = "\(name). CAA 0 \(tag) \"\(identity)\""
            return .forbidden(
                reason: "the CAA records of \(name) do not allow \(identity) to issue; add \(wanted)", wanted: wanted)
        }
        let refusals = ours.compactMap { $0.refusal(rules) }
        // One record that allows it is enough.
        if refusals.count < ours.count { return .allowed }
        return .forbidden(reason: "the CAA record of \(name) for \(ours[0].issuer) \(refusals[0])", wanted: nil)
    }
}

/// The value of an `issue` or `issuewild` record: `ca.example; accounturi=https://ca.example/1` (RFC 8659 §4.2).
private struct CAAAuthorization {
    /// In lower case. Empty if the value names no authority, and so forbids all.
    let issuer: String
    /// Nil if they are malformed.
    private let parameters: [(name: String, value: String)]?

    init(_ value: [UInt8]) {
        let parts = value.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
            CAAAuthorization.trimmed($0)
        }
        let isName = parts[0].allSatisfy { CAAAuthorization.isLabelByte($0) || $0 == UInt8(ascii: ".") }
        issuer = isName ? String(decoding: parts[0], as: UTF8.self).lowercased() : ""
        let endsWithSemicolon = parts.count == 2 && parts[1].isEmpty
        parameters = endsWithSemicolon ? [] : CAAAuthorization.readParameters(parts.dropFirst())
    }

    /// Why this record does not allow the certificate, to follow its name in a sentence. Nil if it allows it.
    func refusal(_ rules: PreflightRules) -> String? {
        guard let parameters else { return "is malformed, so it allows nothing; write each parameter as name=value" }
        let accounts = parameters.filter { $0.name == "accounturi" }
        // Several contradict each other (RFC 8657 §3).
        if !accounts.isEmpty, accounts.count > 1 || accounts[0].value != rules.accountURL {
            guard let account = rules.accountURL else {
                return "names an account, and this server does not have one yet; remove accounturi until it has"
            }
            return "does not allow the account of this server; write accounturi=\(account)"
        }
        let methods = parameters.filter { $0.name == "validationmethods" }
        if !methods.isEmpty, methods.count > 1 || !CAAAuthorization.lists(rules.method, methods[0].value) {
            return "does not allow the method \(rules.method); add it to validationmethods"
        }
        return nil
    }

    private static func readParameters(
        _ parts: ArraySlice<ArraySlice<UInt8>>
    ) -> [(name: String, value: String)]? {
        var parameters: [(name: String, value: String)] = []
        for part in parts {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let (name, value) = (trimmed(part[..<equals]), trimmed(part[(equals + 1)...]))
            let isPlain = value.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            guard !name.isEmpty, name.allSatisfy({ isLabelByte($0) }), isPlain else { return nil }
            parameters.append(
                (String(decoding: name, as: UTF8.self).lowercased(), String(decoding: value, as: UTF8.self)))
        }
        return parameters
    }

    /// Whether the method is in a list with commas; never in a malformed one.
    private static func lists(_ method: String, _ text: String) -> Bool {
        let labels = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let isList = labels.allSatisfy { label in !label.isEmpty && label.allSatisfy { isLabelByte($0) } }
        return isList && labels.contains { $0.elementsEqual(method.utf8) }
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let first = text.firstIndex(where: { !isBlank($0) }), let last = text.lastIndex(where: { !isBlank($0) })
        else { return [] }
        return text[first...last]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isLabelByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension CAARecord {
    /// Longer values are abbreviated.
    private static let shownBytesMax = 200

    /// Such as `0 issue "ca.example"`, with other bytes escaped as in a zone file (RFC 1035 §5.1).
    var zoneText: String {
        let text = value.prefix(CAARecord.shownBytesMax).map { byte -> String in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): "\\" + String(decoding: [byte], as: UTF8.self)
            case 0x20..<0x7F: String(decoding: [byte], as: UTF8.self)
            default: "\\" + String(String(1_000 + Int(byte)).dropFirst())
            }
        }
        let end = value.count > CAARecord.shownBytesMax ? "..." : ""
        return "\(isCritical ? 128 : 0) \(tag) \"\(text.joined())\(end)\""
    }
}
