// All pages and forms. A new one is a file with an extension of `Page` or `Action`, and a line here.

extension Page {
    static let all = [
        overview, search, hosts, host, apps, tenant, file, operatorFile, releaseFile, release, certificates, activity,
        tester, draft,
    ]
}

extension Action {
    static let all = [
        SignIn.out, rollback, approve, reject, withdraw, claimHost, giveUpHost, checkHost, test, checkDraft,
    ]
}
