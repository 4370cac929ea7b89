// What each of the two platforms wants beside what both want.

import Association

extension HostRules {
    mutating func judgeApple() {
        let file = answers.response(.file(.apple))
        let root = answers.response(.rootCopy)
        let hasRoot = root?.status == 200 && root?.isPage == false
        if let file, file.status == 200 {
            if hasRoot, let body = root?.plainBody, body != file.plainBody,
                Linter.recognise(body) != .signedAppleAssociation
            {
                report(
                    "AHST-009", .rootCopy,
                    "the copy at the root is another file than the one in /.well-known/, which wins",
                    fix: "serve the same bytes at both, or none at the root")
            }
            if let age = file.maxAge, age > 86_400 {
                report(
                    "AHST-020", .file(.apple), "the file may be cached for \(age) seconds, more than a day",
                    fix: "send max-age=3600 or less")
            }
        } else if hasRoot {
            report(
                "AHST-008", .rootCopy, "only the copy at the root is there, which current systems do not ask for",
                fix: "serve it at /.well-known/apple-app-site-association")
        }
        if file?.status != 200, expected?.wildcardsBelow.contains(.apple) == true {
            report(
                "AHST-022", .file(.apple),
                "apps name *.\(answers.host.name), for which the file is fetched from here, and it is not here",
                fix: "name this host in the app file too")
        }
        for name in answers.answers.keys.compactMap(\.wrongNameOfApple).sorted() {
            guard let other = answers.response(.wrongName(name)), other.status == 200, !other.isPage else { continue }
            report(
                "AHST-010", .wrongName(name), "the file is here, under a name that nobody asks for",
                fix: "serve it as /.well-known/apple-app-site-association, without an extension and in lower case")
        }
        judgeBanner()
    }

    /// The meta tag of the start page, where there is one.
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
                "AHST-027", .home, "the Smart App Banner has no app-id, so there is no banner",
                fix: "write content=\"app-id=…, app-argument=https://…\"")
        } else if let argument = values["app-argument"], LinkURL(argument) == nil, !argument.contains(":") {
            report(
                "AHST-027", .home, "app-argument is no URL, so the app is told nothing that it could open",
                fix: "write a URL that the app opens")
        }
    }

    mutating func judgeStatements() {
        if let file = answers.response(.file(.statements)), file.status == 200 {
            if let age = file.maxAge, age > 3_600 {
                report(
                    "GHST-012", .file(.statements), "the file may be cached for \(age) seconds",
                    fix: "send max-age=3600 or less while fingerprints may change")
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
                "GHST-009", .file(.statements),
                "apps name *.\(answers.host.name), for which the file is fetched from here, and it is not here",
                fix: "name this host in the app file too")
        } else if expected?.statements != nil {
            report(
                "GHST-010", .file(.statements), "an app names this host, and its file is not here",
                fix: "let this host be answered by the server that has it")
        }
    }

    /// What Apple and Google have kept of the host.
    mutating func judgeCopies() {
        if let copy = answers.appleCopy { judge(appleCopy: copy) }
        if let answer = answers.googleAnswer { judge(googleAnswer: answer) }
    }

    private mutating func judge(appleCopy copy: Result<FetchedResponse, FetchError>) {
        switch copy {
        case .failure(let error):
            report(
                "AHST-016", .file(.apple), "Apple's copy could not be asked for: \(error)", severity: .warning)
        case .success(let response) where response.status == 200:
            guard let own = answers.body(.apple), response.plainBody != own else { return }
            let age = response["age"].map { "; it is \($0) seconds old" } ?? ""
            let kept = response["cache-control"].map { " and kept by \($0)" } ?? ""
            report(
                "AHST-015", .file(.apple), "Apple's copy is another file than the host's\(age)\(kept)",
                fix: "wait: Apple looks again within a day, and phones within about a week")
        case .success(let response):
            let failure = AppleFailure(response)
            report("AHST-016", .file(.apple), failure.message, fix: failure.fix)
        }
    }

    private mutating func judge(googleAnswer answer: Result<FetchedResponse, FetchError>) {
        switch answer {
        case .failure(let error):
            report("GHST-013", .file(.statements), "Google's service could not be asked: \(error)")
        case .success(let response):
            for finding in GoogleAnswer(response).problems(comparedWith: answers.body(.statements)) {
                report("GHST-013", .file(.statements), finding.message, fix: finding.fix)
            }
        }
    }

    /// What the configuration would serve, against what the host does: something in front may have a file of its own.
    mutating func judgeExpectations() {
        guard let expected else { return }
        for document in Probe.Document.allCases {
            guard let body = answers.body(document) else { continue }
            if let wanted = expected[document] {
                // The same message may be signed twice, and is other bytes then.
                if wanted == body || Linter.recognise(wanted) == .signedAppleAssociation { continue }
                let sizes =
                    body.count == wanted.count
                    ? "the same size, other bytes" : "\(body.count) bytes instead of \(wanted.count)"
                report(
                    "SRV-016", .file(document), "the answer is another file than this configuration makes (\(sizes))",
                    fix: "see what differs with `associated render \(answers.host.name) --diff`, and which version the "
                        + "server has with `associated status \(answers.host.name)`")
            } else {
                report(
                    "SRV-016", .file(document), "there is an answer, where this configuration has none",
                    fix: "see which server answers for this host")
            }
        }
    }
}

extension Probe {
    fileprivate var wrongNameOfApple: String? {
        if case .wrongName(let name) = self { return name }
        return nil
    }
}
