// Applies the hosting rules to the answers of one host. Each rule reads a few answers and reports what a verifier would reject; it
// sends no requests.

import Association
import AssociationLint
import Client
import Posix
import SourceJSON
import TLS

/// Judges the answers of one host.
struct HostRules {
    let answers: HostAnswers
    let expected: ExpectedFiles?
    private let options: @Sendable ([String]) -> String
    private(set) var findings: [Finding] = []

    init(_ answers: HostAnswers, _ settings: CheckSettings) {
        self.answers = answers
        expected = settings.expected(answers.host.name)
        options = settings.options
    }

    mutating func judge() {
        if let error = answers.lookUpError {
            let why = error.isUnknownName ? "there is no such host" : "no name server answered"
            return reportForBoth(.ahst001, .ghst001, "\(error); \(why)", fix: "check the name and its DNS entry")
        }
        judgeAddresses()
        judgeTransport()
        if !answers.isReachable { return judgeUnreachable() }
        for document in Probe.Document.allCases { judge(document) }
        judgeApple()
        judgeStatements()
        judgeServer()
        judgeWellKnownFiles()
        if let copy = answers.appleCopy { judge(appleCopy: copy) }
        if let answer = answers.googleAnswer { judge(googleAnswer: answer) }
        if let report = answers.registrations { judge(report) }
        judgeExpectations()
    }

    private mutating func judge(_ registrations: RegistrationReport) {
        for remark in registrations.remarks {
            let rule: RuleID = remark.isMismatch ? .ghst018 : .ghst019
            report(rule, .file(.statements), remark.message, fix: remark.fix)
        }
        if let problem = registrations.problem {
            report(.ghst020, .file(.statements), "cannot ask Google whether the apps are registered: \(problem)")
        }
    }

    private mutating func judgeUnreachable() {
        guard let error = answers.error(.file(.apple)) else { return }
        switch error {
        case .handshake(.timedOut):
            reportForBoth(
                .ahst013, .ghst005, "\(error)", fix: "make the handshake complete within a second", severity: .error)
        case .handshake(.failed(let reason)) where reason.contains("unrecognized name"):
            reportForBoth(
                .ahst011, .ghst004, "the server has no certificate for this name",
                fix:
                    "install one; if the server is `associated`, `associated status \(answers.host.name)` there says whether "
                    + "an app file names the host, and why it has none")
        case .handshake(.failed(let reason)) where reason.contains("wrong version number"):
            let port = answers.host.port
            reportForBoth(
                .ahst011, .ghst004, "the server does not speak TLS on port \(port); it may speak plain HTTP there",
                fix: "turn on TLS, or name the port that has it")
        case .handshake:
            reportForBoth(
                .ahst011, .ghst004, "\(error)",
                fix: "support TLS 1.2 or 1.3 with a public certificate for this exact name")
            if case .handshake(.failed(let reason)) = error, reason.contains("no application protocol") {
                report(
                    .srv015, .file(.apple), "the server does not support HTTP/1.1",
                    fix: "support HTTP/1.1 in addition to HTTP/2")
            }
        default:
            reportForBoth(
                .ahst001, .ghst001, "\(error) at \(answers.addresses.first?.description ?? "no address")",
                fix: "make the host reachable on port \(answers.host.port) from everywhere")
        }
    }

    private mutating func judgeAddresses() {
        guard !answers.isOverridden else { return }
        let closed = answers.addresses.filter(\.isPrivate)
        guard !closed.isEmpty else { return }
        report(
            .ahst014, .file(.apple),
            "the host has the private address \(closed.map(\.host).joined(separator: ", ")); Apple's fetcher rejects it "
                + "with SWCERR00202",
            fix: "publish a public address, or use ?mode=developer in the entitlement for tests")
    }

    /// Judges the certificate and the duration of the handshake.
    private mutating func judgeTransport() {
        guard let response = answers.response(.file(.apple)) ?? answers.response(.file(.statements)),
            let peer = response.peer
        else { return }
        if peer.isOutdated {
            reportForBoth(
                .ahst011, .ghst004, "the server uses \(peer.version), which current clients reject",
                fix: "turn on TLS 1.2 and 1.3")
        }
        if let problem = peer.problem {
            let fix = HostRules.fix(for: problem.kind)
            reportForBoth(.ahst011, .ghst004, problem.message, fix: fix)
            if problem.kind == .missingIntermediate {
                report(.ahst012, .file(.apple), problem.message, fix: fix)
            }
        } else if let left = peer.certificates.first?.timeLeftIfShort(Clock.wallSeconds()) {
            report(
                .ahst011, .file(.apple),
                "the certificate expires in \(left), and less than a quarter of its lifetime is left",
                fix: "renew it, and check why automatic renewal failed", severity: .warning)
        }
        let later = answers.response(.head(.apple))?.handshakeMilliseconds ?? response.handshakeMilliseconds
        if response.handshakeMilliseconds > 2_000, later < response.handshakeMilliseconds / 4 {
            report(
                .srv005, .file(.apple),
                "the first handshake took \(response.handshakeMilliseconds) ms and a later one \(later) ms; "
                    + "probably the certificate was issued in between",
                fix: "issue certificates before you publish the host")
        }
    }

    private static func fix(for problem: PeerFacts.Problem.Kind) -> String {
        switch problem {
        case .expired: "renew it"
        case .missingIntermediate: "send the intermediate certificates too (certbot's fullchain.pem)"
        case .selfSigned, .unknownAuthority:
            "use a certificate of a public certificate authority; to check a host with a private one, name it with --ca"
        case .notYetValid, .wrongName, .weak, .other:
            "use a certificate of a public certificate authority for this exact name"
        }
    }

    mutating func report(
        _ rule: RuleID, _ probe: Probe, _ message: String, fix: String? = nil, severity: Severity? = nil
    ) {
        report(
            Finding(rule: rule, severity: severity, file: answers.name(probe), range: nil, message: message, fix: fix))
    }

    mutating func report(_ finding: Finding) { findings.append(finding) }

    /// Reports a problem under the rules of both verifiers.
    private mutating func reportForBoth(
        _ apple: RuleID, _ android: RuleID, _ message: String, fix: String, severity: Severity? = nil
    ) {
        report(apple, .file(.apple), message, fix: fix, severity: severity)
        report(android, .file(.statements), message, fix: fix, severity: severity)
    }

    mutating func judgeApple() {
        let file = answers.response(.file(.apple))
        let root = answers.response(.rootCopy)
        let hasRoot = root?.status == 200 && root?.isPage == false
        if let file, file.status == 200 {
            if hasRoot, let body = root?.plainBody, body != file.plainBody,
                !SignedMessage.isSigned(body)
            {
                report(
                    .ahst009, .rootCopy,
                    "the copy at the root differs from the file in /.well-known/, which current systems use",
                    fix: "serve the same bytes at both, or no copy at the root")
            }
            if let age = file.maxAge, age > 86_400 {
                report(
                    .ahst020, .file(.apple), "the file may be cached for \(age) seconds, more than a day",
                    fix: "send max-age=3600 or less")
            }
        } else if hasRoot {
            report(
                .ahst008, .rootCopy, "the file is only at the root, where current systems do not look for it",
                fix: "serve it at /.well-known/apple-app-site-association")
        }
        if file?.status != 200, expected?.wildcardsBelow.contains(.apple) == true {
            report(
                .ahst022, .file(.apple),
                "the file is missing here, but it is fetched from here for *.\(answers.host.name), which apps name",
                fix: "name this host in the app file too")
        }
        for name in answers.answers.keys.compactMap(\.wrongNameOfApple).sorted() {
            guard let other = answers.response(.wrongName(name)), other.status == 200, !other.isPage else { continue }
            report(
                .ahst010, .wrongName(name), "the file is served under a wrong name, so Apple does not find it",
                fix: "serve it as /.well-known/apple-app-site-association, without an extension and in lower case")
        }
        judgeBanner()
    }

    /// Judges the meta tag of the start page, if there is one.
    private mutating func judgeBanner() {
        guard let page = answers.response(.home), page.status == 200, let body = page.plainBody,
            let content = MetaTag.content(named: "apple-itunes-app", in: body)
        else { return }
        var values: [String: String] = [:]
        for part in content.split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmed(of: [" "]) }
            if pair.count == 2 { values[pair[0].lowercased()] = String(pair[1]) }
        }
        if values["app-id"] == nil {
            report(
                .ahst027, .home, "the Smart App Banner has no app-id, so browsers show no banner",
                fix: "write content=\"app-id=…, app-argument=https://…\"")
        } else if let argument = values["app-argument"], LinkURL(argument) == nil, !argument.contains(":") {
            report(
                .ahst027, .home, "app-argument is not a URL, so the app gets nothing that it can open",
                fix: "write a URL that the app opens")
        }
    }

    mutating func judgeStatements() {
        if let file = answers.response(.file(.statements)), file.status == 200 {
            if let age = file.maxAge, age > 3_600 {
                report(
                    .ghst012, .file(.statements), "the file may be cached for \(age) seconds",
                    fix: "send max-age=3600 or less, so that a change of fingerprints takes effect soon")
            }
            if let robots = answers.response(.robots), robots.status == 200, let body = robots.plainBody,
                let finding = RobotsFile.finding(body, file: answers.name(.robots))
            {
                report(finding)
            }
            return
        }
        if expected?.wildcardsBelow.contains(.android) == true {
            report(
                .ghst009, .file(.statements),
                "the file is missing here, but it is fetched from here for *.\(answers.host.name), which apps name",
                fix: "name this host in the app file too")
        } else if expected?.statements != nil {
            report(
                .ghst010, .file(.statements), "an app names this host, but the file is missing here",
                fix: "route this host to the server that has the file")
        }
    }

    private mutating func judge(appleCopy copy: Result<FetchedResponse, FetchError>) {
        switch copy {
        case .failure(let error):
            report(
                .ahst016, .file(.apple), "cannot fetch Apple's copy: \(error)", severity: .warning)
        case .success(let response) where response.status == 200:
            if let own = answers.body(.apple) { compare(appleCopy: response, with: own) }
        case .success(let response):
            let failure = AppleFailure(response)
            report(.ahst016, .file(.apple), failure.message, fix: failure.fix)
        }
    }

    /// Phones that get a copy without apps, or with those of another server, open no app of this host. Another copy is usually older.
    private mutating func compare(appleCopy response: FetchedResponse, with own: [UInt8]) {
        var problem = ""
        switch CopyAnswer(apple: response) {
        case .document(let bytes):
            if DocumentDigest.ofDocument(bytes) == DocumentDigest.ofDocument(own) { return }
            let copy = AppleAssociation.read(bytes, file: "Apple's copy")
            guard let association = copy.association else {
                problem =
                    bytes.isEmpty ? "it is empty" : copy.findings.first { $0.isFatal }?.message ?? "it is malformed"
                break
            }
            let present = AppleAssociation.read(CopyAnswer.plain(own), file: "").association?.apps ?? []
            let copied = association.apps
            if !present.isEmpty, !copied.isEmpty, present.isDisjoint(with: copied) {
                return report(
                    .ahst015, .file(.apple),
                    "Apple's copy names other apps than the host's file, so Apple reaches another server",
                    fix:
                        "lead every client in the world, over IPv4 and IPv6, to this server; if it was moved here, wait: "
                        + "Apple checks again within a day", severity: .error)
            }
        case .unusable(let reason), .failure(let reason): problem = reason
        case .statements: break
        }
        if !problem.isEmpty {
            return report(
                .ahst015, .file(.apple), "Apple's copy is no file that phones can read: \(problem)",
                fix:
                    "find out what answers Apple in place of this server, such as a CDN or a firewall; Apple checks again within "
                    + "a day", severity: .error)
        }
        let age = response["age"].map { "; it is \($0) seconds old" } ?? ""
        let kept = response["cache-control"].map { "; it is cached with \($0)" } ?? ""
        report(
            .ahst015, .file(.apple), "Apple's copy differs from the host's file\(age)\(kept)",
            fix: "wait: Apple checks again within a day, and phones within about a week")
    }

    private mutating func judge(googleAnswer answer: Result<FetchedResponse, FetchError>) {
        switch answer {
        case .failure(let error):
            report(.ghst013, .file(.statements), "cannot ask Google's service: \(error)")
        case .success(let response):
            guard let problem = GoogleAnswer(response: response).problem(comparedWith: answers.body(.statements))
            else { return }
            report(.ghst013, .file(.statements), problem.message, fix: problem.fix)
        }
    }

    /// Compares the host's files with those of the configuration; a reverse proxy may serve its own.
    mutating func judgeExpectations() {
        guard let expected else { return }
        for document in Probe.Document.allCases {
            guard let body = answers.body(document) else { continue }
            if let wanted = expected[document] {
                // Signing the same content again produces different bytes.
                if wanted == body || SignedMessage.isSigned(wanted) { continue }
                let sizes =
                    body.count == wanted.count
                    ? "same size, different bytes" : "\(body.count) bytes instead of \(wanted.count)"
                report(
                    .srv016, .file(document), "the served file differs from the one of this configuration (\(sizes))",
                    fix:
                        "compare them with `associated render \(answers.host) --diff"
                        + options(["--config", "--public", "--environment", "--resolve", "--ca"])
                        + "`, and check the version "
                        + "of the server with `associated status \(answers.host.name)\(options(["--config"]))`")
            } else {
                report(
                    .srv016, .file(document), "the host serves a file, but this configuration has none",
                    fix: "find out which server answers for this host")
            }
        }
    }
}

extension AppleAssociation {
    /// The apps of all services.
    fileprivate var apps: Set<String> {
        let services = [webcredentials, appclips, activitycontinuation].compactMap { $0?.apps }
        return Set(((applinks?.details.map(\.appIDs) ?? []) + services).joined().map(\.text))
    }
}

extension Probe {
    fileprivate var wrongNameOfApple: String? {
        if case .wrongName(let name) = self { return name }
        return nil
    }
}
