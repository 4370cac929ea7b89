// Rules for both files: every client gets status 200, the right content type and the same bytes.

import Association
import AssociationLint
import Client
import Posix
import TLS

extension HostRules {
    /// The ids of the rules that both verifiers have in common, for one of them.
    private struct Names {
        var status: RuleID
        var redirect: RuleID
        var refused: RuleID
        var failing: RuleID
        var page: RuleID
        var type: RuleID
        var otherAgent: RuleID
        var varies: RuleID
        var slow: RuleID
    }

    private func names(_ document: Probe.Document) -> Names {
        switch document {
        case .apple:
            Names(
                status: .ahst001, redirect: .ahst002, refused: .ahst003, failing: .ahst004, page: .ahst005,
                type: .ahst006, otherAgent: .ahst003, varies: .ahst017, slow: .ahst013)
        case .statements:
            Names(
                status: .ghst001, redirect: .ghst002, refused: .ghst001, failing: .ghst001, page: .ghst003,
                type: .ghst003, otherAgent: .ghst011, varies: .ghst011, slow: .ghst005)
        }
    }

    mutating func judge(_ document: Probe.Document) {
        let names = names(document)
        if let error = answers.error(.file(document)) {
            let rule = error.isTimeOut ? names.slow : names.status
            return report(
                rule, .file(document), "\(error)", fix: "answer within a second, with status 200 and the whole file",
                severity: .error)
        }
        guard let response = answers.response(.file(document)) else { return }
        guard response.status == 200 else { return judgeStatus(document, response, names) }
        judgeAnswer(document, response, names)
        judgeOthers(document, response, names)
    }

    private mutating func judgeStatus(_ document: Probe.Document, _ response: FetchedResponse, _ names: Names) {
        let probe = Probe.file(document)
        if response.isRedirect {
            let steps = answers.steps[document] ?? ["\(response.status)"]
            return report(
                names.redirect, probe,
                "the answer is a redirect, which verifiers do not follow: \(steps.joined(separator: ", then "))",
                fix: "serve the file on this host with 200")
        }
        switch response.status {
        case 401, 403, 407, 429:
            report(
                names.refused, probe,
                "the answer is \(response.status), so \(document.agents[0].name) has no access, and the failure is cached",
                fix: "exempt the path from every login, filter and country block")
        case 500...:
            report(names.failing, probe, "the answer is \(response.status)", fix: "fix the server error")
        default: judgeMissing(document, response, names)
        }
    }

    /// A host need not have both files.
    private mutating func judgeMissing(_ document: Probe.Document, _ response: FetchedResponse, _ names: Names) {
        let other: Probe.Document = document == .apple ? .statements : .apple
        let isWanted = expected.map { $0[document] != nil }
        if isWanted == false { return }
        let hasOther = answers.response(.file(other))?.status == 200
        let apps = document == .apple ? "iOS" : "Android"
        report(
            names.status, .file(document),
            "the answer is \(response.status), so no \(apps) app is associated with this host",
            fix: "serve the file with status 200, unless there is no \(apps) app",
            severity: isWanted == true || !hasOther ? .error : .note)
        judgeSibling(document)
    }

    private mutating func judgeSibling(_ document: Probe.Document) {
        guard document == .apple, let other = answers.response(.sibling(document)), other.status == 200,
            other.peer?.distrust == nil
        else { return }
        report(
            .ahst026, .file(document),
            "the file is on \(answers.host.sibling) but not here, and they are separate hosts",
            fix: "serve it on both, and name both in the entitlement")
    }

    private mutating func judgeAnswer(_ document: Probe.Document, _ response: FetchedResponse, _ names: Names) {
        let probe = Probe.file(document)
        if response.isTruncated {
            let rule: RuleID = document == .apple ? .aasa005 : .ghst006
            return report(
                rule, probe, "the body has more than \(response.body.count) bytes, which no verifier reads",
                fix: "serve only the association file", severity: .error)
        }
        let seconds = Double(response.firstByteMilliseconds) / 1_000
        if response.firstByteMilliseconds > 3_000 {
            report(
                names.slow, probe,
                "the first byte arrived after \(seconds) seconds; verifiers time out after about five",
                fix: "serve the file from memory", severity: .warning)
        }
        guard let body = response.plainBody else {
            return report(
                .ahst018, probe, "the body does not match its content-encoding, so clients cannot decode it",
                fix: "compress it once, or not at all", severity: .error)
        }
        if response.isPage {
            return report(
                names.page, probe, "the answer is an HTML page with status 200, which hides that the file is missing",
                fix: "route /.well-known/ before the catch-all page", severity: .error)
        }
        judgeType(document, response, body, names)
        let findings =
            switch document {
            case .apple: Linter.lint(apple: body, file: answers.name(probe))
            case .statements: Linter.lint(statements: body, file: answers.name(probe), host: answers.host.name)
            }
        for finding in findings where !isOwnRendering(document) || finding.severity == .error { report(finding) }
    }

    /// Whether the host serves what the configuration renders. Then only its app files need advice, and `lint` gives it.
    func isOwnRendering(_ document: Probe.Document) -> Bool {
        expected?[document].map { $0 == answers.body(document) } ?? false
    }

    private mutating func judgeType(
        _ document: Probe.Document, _ response: FetchedResponse, _ body: [UInt8], _ names: Names
    ) {
        let probe = Probe.file(document)
        let type = response.mediaType ?? "missing"
        let isSigned = document == .apple && SignedMessage.isSigned(body)
        let wanted = isSigned ? "application/pkcs7-mime" : "application/json"
        if type == wanted { return }
        if isSigned || document == .apple && type == "application/pkcs7-mime" {
            return report(
                .ahst007, probe, "content-type is \(type), but the file is \(isSigned ? "signed" : "not signed")",
                fix: "send \(wanted)")
        }
        report(names.type, probe, "content-type is \(type)", fix: "send \(wanted)")
    }

    /// Whether other clients and other kinds of requests get the same answer.
    private mutating func judgeOthers(_ document: Probe.Document, _ response: FetchedResponse, _ names: Names) {
        for agent in document.agents.dropFirst() {
            guard let other = answers.response(.agent(document, agent)) else { continue }
            if other.status != 200 {
                report(
                    names.otherAgent, .file(document), "the answer for \(agent.name) is \(other.status)",
                    fix: "send the same answer to every client")
            } else if other.plainBody != response.plainBody {
                report(
                    names.varies, .file(document), "\(agent.name) gets another file than \(document.agents[0].name)",
                    fix: "send the same answer to every client")
            }
        }
        if let head = answers.response(.head(document)), !isSame(head, response) {
            report(
                .ahst019, .head(document),
                "the answer to HEAD is \(summary(head)), but to GET it is \(summary(response))",
                fix: "answer HEAD like GET, without the body")
        }
        if let gzip = answers.response(.gzip(document)), gzip.status == 200, gzip.plainBody != response.plainBody {
            let what = gzip.plainBody == nil ? "does not match its content-encoding" : "is another file"
            report(
                .ahst018, .gzip(document), "the answer to a client that accepts gzip \(what)",
                fix: "compress it once, or not at all")
        }
        judgeDot(document, response)
        judgeOtherAddress(document, response)
    }

    private func isSame(_ head: FetchedResponse, _ get: FetchedResponse) -> Bool {
        head.status == get.status && head["content-type"] == get["content-type"]
            && (head["content-length"] == nil || head["content-length"] == get["content-length"])
    }

    private func summary(_ response: FetchedResponse) -> String {
        "\(response.status), content-type \(response["content-type"] ?? "missing"), content-length "
            + (response["content-length"] ?? "missing")
    }

    private mutating func judgeDot(_ document: Probe.Document, _ response: FetchedResponse) {
        guard let dotted = answers.response(.trailingDot(document)) else { return }
        if dotted.status == 200, dotted.plainBody == response.plainBody { return }
        report(
            document == .apple ? .srv003 : .ghst008, .trailingDot(document),
            "with a trailing dot in the host name the answer is \(dotted.status == 200 ? "another file" : "\(dotted.status)")",
            fix: "ignore one trailing dot of the host name")
    }

    private mutating func judgeOtherAddress(_ document: Probe.Document, _ response: FetchedResponse) {
        guard let outcome = answers.answers[.otherAddress(document)] else { return }
        let family = answers.addresses.first?.isIPv6 == true ? "IPv4" : "IPv6"
        switch outcome {
        case .failure(let error):
            report(
                .srv015, .otherAddress(document), "over \(family) there is no answer: \(error)",
                fix: "make the address answer, or remove it from DNS")
        case .success(let other) where other.status != 200 || other.plainBody != response.plainBody:
            report(
                .srv015, .otherAddress(document),
                "over \(family), the answer is \(other.status == 200 ? "a different file" : "\(other.status)")",
                fix: "serve the same file on all addresses")
        case .success: break
        }
    }
}

/// Finds a meta tag in a page. It is not an HTML parser: comments and scripts are not skipped, because a tag in one of them is
/// a mistake too. The page is untrusted, so the time is linear in its size.
enum MetaTag {
    private static let bytesMax = 1_048_576

    /// The value of `content` of the first `<meta name="…">`; nil if there is none. Entities are not decoded.
    static func content(named name: String, in page: [UInt8]) -> String? {
        let page = page.prefix(bytesMax)
        var rest = page
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            guard isMeta(rest) else { continue }
            // A tag without an end extends to the end of the page.
            let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? rest.endIndex
            let attributes = attributes(of: rest[(rest.startIndex + 5)..<end])
            if let found = attributes["name"], found.lowercased() == name { return attributes["content"] ?? "" }
            rest = rest[end...]
        }
        return nil
    }

    private static func isMeta(_ rest: ArraySlice<UInt8>) -> Bool {
        let word = rest.prefix(5)
        guard word.count == 5, let last = word.last, isSpace(last) else { return false }
        return word.prefix(4).elementsEqual("meta".utf8) { $0 | 0x20 == $1 }
    }

    /// The first value of each name.
    private static func attributes(of tag: ArraySlice<UInt8>) -> [String: String] {
        var found: [String: String] = [:]
        var rest = tag
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let key = rest[..<equals].split(whereSeparator: isSpace).last.map { text($0).lowercased() } ?? ""
            rest = rest[(equals + 1)...].drop(while: isSpace)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 1)
            } else {
                value = rest.prefix { !isSpace($0) }
                rest = rest.dropFirst(value.count)
            }
            if found[key] == nil { found[key] = text(value) }
        }
        return found
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
