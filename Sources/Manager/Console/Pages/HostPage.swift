// One host: what its state is and why, and where each of its things comes from.

import Association
import Database
import Delivery
import Issuance
import Posix
import Publishing
import SourceJSON

extension Page {
    static let host = Page("/hosts/HOST", title: { $0["host"].text }, load: Host.load, render: Host.render)
}

private enum Host {
    static func load(_ call: ConsoleCall) throws(PageProblem) -> SourceValue {
        guard case .success(let pattern) = HostPattern.parse(call.parameters[0]) else {
            throw PageProblem.unknown(call.parameters[0])
        }
        let name = pattern.text
        var problems: [String] = []
        let isShown = call.visibility(name)
        let report = isShown ? call.server(path("status", name)) : .null
        if report == nil { problems.append("The server does not answer the manager, so its state is not known.") }
        // Certificates and deliveries are of the configured name: that host, or the wildcard that covers it.
        let configured = report?["name"].asString ?? name
        let found = call.stored(&problems) { transaction throws(DatabaseError) in
            let claims = try ClaimedHosts.claims(to: configured, of: call.tenant, in: transaction)
            guard isShown else { return (claims, SourceValue.null, SourceValue.array([]), String?.none) }
            let certificate = try IssuanceReport.load(configured, in: transaction)
            let deliveries = try DeliveryTimeline.load(configured, in: transaction).map(\.jsonValue)
            var turn: String?
            if certificate?.state == .queued, let rules = call.console.rules {
                turn = try QueueForecast(rules, call.console.suffixes, in: transaction)[configured]?.description
            }
            return (claims, certificate?.jsonValue ?? .null, .array(deliveries), turn)
        }
        let isServed = report.map { !$0.isNull } ?? false
        if !isServed, report != nil, found?.0.isEmpty ?? true, found?.1.isNull ?? true {
            throw PageProblem.unknown(name)
        }
        var members: [(String, SourceValue)] = [
            ("host", .string(name)), ("served", .bool(isServed)), ("status", report ?? .null),
            ("claims", .array(found?.0 ?? [])), ("orderedCertificate", found?.1 ?? .null),
            ("turn", .optional(found?.3)),
            ("deliveries", found?.2 ?? .array([])), ("wanted", wanted(call)),
        ]
        var documents: [(String, SourceValue)] = []
        for (kind, verifier) in [("apple", "apple"), ("android", "google")] where isServed {
            if let (status, body) = call.console.server.ask("/document/\(verifier)" + path(name)), status == 200 {
                documents.append(
                    (kind, SourceReader.read(body, as: .json).value ?? .string(String(decoding: body, as: UTF8.self))))
            }
        }
        members += [("documents", .object(documents)), ("before", before(name, report ?? .null, call))]
        let kept = isShown ? call.server("/status")?["lastGood"].items.first { $0["host"].text == configured } : nil
        members.append(("keptSince", (kept ?? .null)["sinceSeconds"]))
        let files = (report?["appFiles"].items ?? []).map(\.text)
        members.append(("operatorFiles", .texts(files.filter { call.console.server.appFile($0) != nil })))
        let state = state(.object(members), now: call.now)
        return .object(
            [("sentence", .string(state.text)), ("tone", .string(state.tone.rawValue))] + members + [
                ("problems", .texts(problems))
            ])
    }

    /// The documents by the release before the one that is live; null if no release has made them.
    private static func before(_ name: String, _ status: SourceValue, _ call: ConsoleCall) -> SourceValue {
        guard let tenant = status["tenant"].asString,
            status["appFiles"].items.contains(where: { call.console.server.appFile($0.text) == nil }),
            let live = try? call.api(path("tenants", tenant))["live"].number, live > 0,
            let base = try? call.api(path("tenants", tenant, "releases", "\(live)"))["base"].number, base > 0,
            let release = try? call.api(path("tenants", tenant, "releases", "\(base)")),
            let apps = try? call.apps(of: release)
        else { return .null }
        let naming = apps.map(\.app).filter { $0.hosts.contains { $0.text == status["name"].text } }
        let documents = Renderer.documents(for: Renderer.mergeOrder(naming), host: name)
        return .object([
            ("release", .integer(Int(base))), ("apple", documents.apple ?? .null),
            ("android", documents.statements ?? .null),
        ])
    }

    /// Where DNS has to lead.
    private static func wanted(_ call: ConsoleCall) -> SourceValue {
        let preflight = call.console.rules?.preflight
        let addresses = (preflight?.expectedAddresses ?? []).map { "\($0)" }
        return .texts(addresses + (preflight?.expectedNames ?? []).map { "\($0)" })
    }

    /// The most important thing about it.
    private static func state(_ host: SourceValue, now: Int64) -> (tone: Tone, text: String) {
        let (status, certificate) = (host["status"], host["orderedCertificate"])
        if host["served"].asBool != true {
            let claim = host["claims"].items.first
            if claim?["state"].text == "owned" {
                return (.wait, "Owned, and not served yet: no live app file names it.")
            }
            if claim != nil { return (.wait, "Claimed, and not proved yet: the record below has to be in DNS.") }
            return (.none, "Not served here.")
        }
        if !status["reasons"].items.isEmpty {
            let since = host["keptSince"].time.map { " for \(Age.text(seconds: max(0, now - $0)))" } ?? ""
            return (.warn, "Serves its last good version\(since), because a file has an error.")
        }
        let deliveries = host["deliveries"].items
        func delivery(_ state: DeliveryState) -> SourceValue? {
            deliveries.first { $0["state"].text == state.rawValue }
        }
        func name(_ delivery: SourceValue) -> String {
            DeliveryVerifier(rawValue: delivery["verifier"].text)?.name ?? ""
        }
        if let foreign = delivery(.foreign) {
            return (
                .bad, "\(name(foreign)) has a file that this server never sent: another server answers for this host."
            )
        }
        let isOver = certificate["notAfter"].time.map { $0 <= now } ?? false
        let state = IssuanceState(rawValue: certificate["state"].text)
        if isOver { return (.bad, "Its certificate has expired, so no phone gets its files.") }
        if let state, certificate["notAfter"].time == nil, state != .issued {
            return (
                state == .failing ? .bad : state == .waitingForDNS || state == .waitingForCAA ? .warn : .wait,
                "Served, and without a certificate: \(certificate["problem"].asString ?? state.nextStep)."
            )
        }
        if status["certificate"]["problems"].items.contains(where: { $0["severity"].text == "error" }) {
            return (.bad, "Its certificate has a problem.")
        }
        if let failing = delivery(.failing) { return (.bad, "\(name(failing)) cannot fetch its file.") }
        if let absent = delivery(.absent) { return (.warn, "\(name(absent)) has no file of it.") }
        if let older = delivery(.older) { return (.wait, "Live; \(name(older)) still has an earlier version.") }
        if !status["errors"].items.isEmpty { return (.warn, "Live, but a file for it is not in service.") }
        if !deliveries.isEmpty, delivery(.unknown) == nil {
            return (.good, "Live, and Apple and Google have the current files.")
        }
        return (.good, "Live.")
    }

    static func render(_ host: SourceValue, _ call: ConsoleCall) -> HTML {
        let (name, status) = (host["host"].text, host["status"])
        let tone = Tone(rawValue: host["tone"].text) ?? .none
        let served = status["name"].text
        return """
            <p class="crumb">\(link("/hosts", "Hosts"))</p>
            <div class="title"><h1>\(name)</h1></div>
            \(Layout.notice(tone, "\(host["sentence"].text)"))\
            \(served.isEmpty || served == name ? .none : "<p class=\"soft\">Served as \(served).</p>" as HTML)\
            \(findings(status, call))\(claims(host, call))\(deliveries(host, call))\(certificate(host, call))\
            \(documents(host))\(fetches(status, call))\(origin(host))
            """
    }

    private static func findings(_ status: SourceValue, _ call: ConsoleCall) -> HTML {
        let rows = status["reasons"].items.map { ($0, Tone.bad) } + status["errors"].items.map { ($0, Tone.warn) }
        if rows.isEmpty { return .none }
        return section(
            "Findings", id: "findings",
            list(
                rows.map {
                    row(
                        finding($0.0.text, call),
                        states: [badge($0.1, $0.1 == .bad ? "Keeps the old version" : "Not in service")],
                        more: "<span class=\"next\">Next: \(Cause.correction(of: $0.0.text))</span>")
                }, empty: .none))
    }

    /// The records of DNS, wanted and found.
    private static func claims(_ host: SourceValue, _ call: ConsoleCall) -> HTML {
        let certificate = host["orderedCertificate"]
        var parts: [HTML] = host["claims"].items.map { claim in
            let record = claim["record"]
            let check = action(
                path("hosts", host["host"].text, "check"), "Check now", ["tenant": claim["tenant"].text])
            let giveUp = action(
                path("hosts", host["host"].text, "give-up"), "Give it up", ["tenant": claim["tenant"].text])
            let problem: HTML? = claim["problem"].asString.map { "\($0)" }
            return
                "<div class=\"actions\">\(HostState.claim(claim["state"].text)) <span>claimed by \(claim["tenant"].text)</span>"
                + (call.session.may("hosts") && !record.isNull ? check : .none)
                + (call.session.may("hosts") && host["served"].asBool != true ? giveUp : .none) + "</div>"
                + facts([
                    ("Proof", record.isNull ? "An operator vouches for it; no record is needed." : nil),
                    ("Name", record["name"].asString.map(copyable)), ("Type", record["type"].asString.map { "\($0)" }),
                    ("Value", record["value"].asString.map(copyable)),
                    (
                        "Found",
                        problem ?? (claim["state"].text == "owned" && !record.isNull ? "The record is there." : nil)
                    ),
                    ("Next", claim["next"].asString.map { "\($0)" }),
                ])
        }
        let wanted = host["wanted"].items
        let isWaiting = certificate["state"].text.hasPrefix("waiting-")
        if isWaiting || !wanted.isEmpty {
            parts.append(
                facts([
                    (
                        "Should lead to",
                        wanted.isEmpty ? "an address of this server" : HTML(wanted.map { copyable($0.text) + " " })
                    ),
                    (
                        "Found",
                        isWaiting
                            ? certificate["problem"].asString.map { "\($0)" }
                            : host["served"].asBool == true ? "It leads here, as far as is known." : nil
                    ),
                ]))
        }
        return parts.isEmpty ? .none : section("DNS", id: "dns", HTML(parts))
    }

    private static func deliveries(_ host: SourceValue, _ call: ConsoleCall) -> HTML {
        let timelines = host["deliveries"].items.map { delivery -> HTML in
            let name = DeliveryVerifier(rawValue: delivery["verifier"].text)?.name ?? ""
            func step(_ text: String, _ time: SourceValue, _ pending: String) -> HTML {
                guard let time = time.time else { return "<li>\(pending)</li>" }
                return "<li class=\"done\">\(text) <span class=\"soft\">\(ago(time / 1_000, now: call.now))</span></li>"
            }
            let detail: HTML = delivery["detail"].text.isEmpty ? .none : "<p>\(delivery["detail"].text)</p>"
            let isEqual = delivery["state"].text == DeliveryState.equal.rawValue
            let next: HTML = isEqual ? .none : "<p><strong>Next:</strong> \(delivery["next"].text)</p>"
            return """
                <div><h3 class="actions">\(name) \(HostState.delivery(delivery["state"].text, delivery["verifier"].text))</h3>
                <ol class="steps">\(step("Published", delivery["published"], "Not published yet"))\
                \(step("Fetched by \(name)", delivery["fetched"], "Not seen to be fetched yet"))\
                \(step("\(name) hands it out", delivery["equalSince"], "\(name) does not hand it out yet"))</ol>\(detail)\(next)\
                <p class="soft">\(looks(delivery, call))</p></div>
                """
        }
        if timelines.isEmpty { return .none }
        return section("Delivery", id: "delivery", "<div class=\"columns\">\(timelines)</div>")
    }

    private static func looks(_ delivery: SourceValue, _ call: ConsoleCall) -> HTML {
        let last: HTML =
            delivery["looked"].time.map { "Looked at \(ago($0 / 1_000, now: call.now))" } ?? "Not looked at yet"
        let next: HTML =
            delivery["nextLook"].time.map {
                $0 / 1_000 > call.now ? ", again \(ago($0 / 1_000, now: call.now))" : ", again now"
            } ?? .none
        return last + next
    }

    private static func certificate(_ host: SourceValue, _ call: ConsoleCall) -> HTML {
        let (ordered, served) = (host["orderedCertificate"], host["status"]["certificate"])
        if ordered.isNull, served.isNull { return .none }
        let end = served["notAfterSeconds"].time ?? ordered["notAfter"].time
        var left: HTML?
        if let percent = served["lifeLeftPercent"].time {
            left =
                "<meter min=\"0\" max=\"100\" low=\"17\" value=\"\(percent)\" aria-label=\"Life left\"></meter> \(percent) % of its life is left"
        }
        let state = IssuanceState(rawValue: ordered["state"].text)
        let problems = served["problems"].items.map { problem -> HTML in "<p>\(problem["finding"].text)</p>" }
        let reason: HTML? = ordered["problem"].asString.map { "\($0)" }
        let retry = action(path("hosts", host["host"].text, "check"), "Try again now")
        return section(
            "Certificate", id: "certificate",
            aside: HostState.certificate(ordered, now: call.now) ?? .none,
            facts([
                (
                    "Valid",
                    end.map {
                        $0 > call.now
                            ? "until \(ago($0, now: call.now))" : "no longer: it ended \(ago($0, now: call.now))"
                    }
                ),
                ("Life", left),
                ("Issued by", (served["issuer"].asString ?? ordered["issuer"].asString).map { "\($0)" }),
                (
                    "Folder",
                    served["folder"].asString.map {
                        "<code>hosts/\($0)</code>, \(served["state"].text.replacing("_", with: " "))"
                    }
                ),
                ("Renewed", ordered["renewAt"].time.map { ago($0, now: call.now) }), ("Reason", reason),
                ("Turn", host["turn"].asString.map { "\($0)" }), ("Problems", problems.isEmpty ? nil : HTML(problems)),
                ("Next", state.map { "\($0.nextStep)" }),
            ]) + (call.session.may("hosts") && state != nil && state != .issued ? retry : .none))
    }

    private static func documents(_ host: SourceValue) -> HTML {
        let parts = [("apple", "apple-app-site-association"), ("android", "assetlinks.json")].compactMap {
            kind, name -> HTML? in
            let document = host["documents"][kind]
            if document.isNull { return nil }
            let text = document.asString ?? String(decoding: SourceWriter.canonical(document), as: UTF8.self)
            let isShort = text.utf8.count < 4_096
            let before = host["before"]
            let old = before[kind].isNull ? [] : documentLines(before[kind])
            let changes: HTML =
                before.isNull
                ? .none : lineChanges(from: old, to: documentLines(document), since: before["release"].number)
            return
                "<details id=\"document-\(kind)\"\("open", if: isShort)><summary>\(name)</summary>\(changes)\(highlighted(text))</details>"
        }
        if parts.isEmpty { return .none }
        return section(
            "Documents", id: "documents",
            aside: link(path("tester", query: ["urls": "https://\(host["host"].text)/"]), "Test a URL"), HTML(parts))
    }

    private static func fetches(_ status: SourceValue, _ call: ConsoleCall) -> HTML {
        if status.isNull { return .none }
        let words = [
            "apple-cdn": "Apple’s CDN", "apple-device": "Apple devices", "google-association": "Google",
            "googlebot": "Googlebot", "android-device": "Android devices",
        ]
        let rows = status["verifiers"].items.map { record -> HTML in
            let who = record["verifier"].text
            let version =
                ["current": "the current version", "older": "an older version"][record["version"].text]
                ?? "status \(record["status"].number)"
            return row(
                "\(words[who] ?? who)", states: [badge(record["version"].text == "current" ? .good : .none, version)],
                more:
                    "\(ago(record["lastSeconds"].number, now: call.now))\(record["network"].asString.map { ", from \($0)" } ?? ""), \(record["confirmed"].asBool == true ? "confirmed" : "as it says of itself"), \(record["count"].number) times"
            )
        }
        return section(
            "Who fetched its files", id: "fetches",
            list(
                rows,
                empty:
                    "<p>Apple, Google and phones have not fetched them since recording began \(ago(status["recordedSinceSeconds"].number, now: call.now)).</p>"
            ))
    }

    private static func origin(_ host: SourceValue) -> HTML {
        let status = host["status"]
        if status.isNull { return .none }
        let tenant = status["tenant"].asString
        let own = Set(host["operatorFiles"].items.map(\.text))
        let files = status["appFiles"].items.map { file -> HTML in
            let parts = file.text.split(separator: "/").map(String.init)
            let isPublished = parts.count == 2 && !own.contains(file.text)
            let place = isPublished ? path("apps", parts[0], parts[1]) : path("file", query: ["path": file.text])
            return link(place, file.text) + " "
        }
        let address = "https://\(host["host"].text)/"
        let code = HTML(qrCode: address)
        return section(
            "Apps", id: "apps",
            facts([
                ("Apps", HTML(status["apps"].items.map { "<code>\($0.text)</code> " })),
                ("App files", files.isEmpty ? nil : HTML(files)),
                ("Tenant", tenant.map { link(path("apps", $0), $0) }),
                ("On a phone", code.map { "<div class=\"qr\">\($0)</div><span class=\"soft\">\(address)</span>" }),
            ]))
    }
}
