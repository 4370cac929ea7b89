// Responses of certificate authorities, which decide what the manager requests next.

import TLS

@testable import ACME

extension FuzzTarget {
    static let authority = FuzzTarget(
        name: "authority",
        summary: "responses of certificate authorities: single ones, chains, and those of a whole order"
    ) { bytes in
        var choices = Choices(bytes)
        switch choices.number(below: 3) {
        case 0: try AuthorityInput.readings(&choices)
        case 1:
            guard let chain = try? IssuedChain(pem: Array(choices.rest)) else { return }
            try demand(!chain.certificates.isEmpty, "a chain without certificates")
            try demand((try? IssuedChain(pem: Array(chain.pem.utf8))) == chain, "not the chain that was written")
            for name in chain.facts.names { try demand(chain.covers(name) || name.contains("*"), "not for \(name)") }
            let name = chain.renewalID.map { "https://ca.example/\($0)" }
            try demand(name.map { $0.utf8.count > 2048 || AuthorityURL($0) != nil } ?? true, "\(name ?? "")")
        default: try AuthorityInput.order(&choices)
        }
    }
}

private enum AuthorityInput {
    /// One key for all inputs, because generating it takes longer than everything else.
    private static let key = Result { try SigningKey(.p256) }

    private static let statuses = [200, 201, 204, 301, 400, 403, 404, 429, 500, 503]

    static func response(_ choices: inout Choices) -> AuthorityResponse {
        let status = statuses[choices.number(below: statuses.count)]
        let flags = choices.number(below: 16)
        var fields: [(name: String, value: String)] = []
        if flags & 1 != 0 { fields.append(("Replay-Nonce", "nonce")) }
        if flags & 2 != 0 { fields.append(("Location", String(decoding: choices.text(), as: UTF8.self))) }
        if flags & 4 != 0 { fields.append(("Link", String(decoding: choices.text(), as: UTF8.self))) }
        let retryAfter = flags & 8 == 0 ? nil : Int64(choices.number(below: 65_536)) << 40
        return AuthorityResponse(status: status, fields: fields, body: choices.text(), retryAfterSeconds: retryAfter)
    }

    static func readings(_ choices: inout Choices) throws(Complaint) {
        let response = response(&choices)
        for url in [response.location].compactMap({ $0 }) + response.links("alternate") {
            try demand(url.text.hasPrefix("https://") && url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(url)")
        }
        _ = try? AuthorityDirectory(reading: response)
        _ = try? AuthorityAccount(reading: response)
        _ = try? AuthorityOrder(reading: response, hosts: ["shop.example"])
        if let found = try? HostAuthorization(reading: response, hosts: ["shop.example", "*.shop.example"]) {
            for challenge in found.challenges { try demand(!challenge.token.contains("/"), challenge.token) }
        }
        if let info = try? RenewalInfo(reading: response) {
            try demand(info.start < info.end, "\(info.start) is not before \(info.end)")
        }
        _ = AuthorityProblem(response).description
        let text = String(decoding: response.body, as: UTF8.self)
        if let journal = OrderJournal(text: text) {
            try demand(OrderJournal(text: journal.text) == journal, "not the journal that was written")
        }
    }

    /// Feeds one response after the other to the steps of an order.
    static func order(_ choices: inout Choices) throws {
        let directory = try AuthorityDirectory(
            reading: AuthorityResponse(
                status: 200, fields: [],
                body: Array(
                    #"{"newNonce":"https://a.example/n","newAccount":"https://a.example/a","newOrder":"https://a.example/o"}"#
                        .utf8)))
        guard let url = AuthorityURL("https://a.example/dir") else { return }
        var session = AuthoritySession(directory, key: AccountKey(try key.get()), account: url)
        let journal = try OrderJournal(
            for: ["shop.example"], at: url, key: key.get(), by: choices.isTrue() ? .dns : .http, preferredIssuer: "Root"
        )
        var steps = OrderSteps(journal, isSaved: false)
        var now: Int64 = 1_800_000_000
        while true {
            switch steps.next(&session, now: now) {
            case .save(let journal):
                try demand(OrderJournal(text: journal.text) == journal, "not the journal that was written")
                steps.confirmStep()
            case .send(let request):
                try demand(request.url.text.hasPrefix("https://"), "\(request.url)")
                guard !choices.rest.isEmpty else { return }
                steps.take(response(&choices), &session, now: now)
            case .publish(let answers):
                try demand(answers.allSatisfy { $0.host == "shop.example" && !$0.token.contains("/") }, "\(answers)")
                steps.confirmStep()
            case .withdraw: steps.confirmStep()
            case .wait(let until, _):
                try demand(until > now && until <= now + AuthorityLimits.waitSecondsMax, "until \(until)")
                now = until
            case .finished(.issued(let chain)):
                return try demand(chain.isFor(try key.get()), "a certificate for another key")
            case .finished(.failed(let failure)):
                return try demand(!failure.problems.isEmpty, "failed without a reason")
            }
        }
    }
}
