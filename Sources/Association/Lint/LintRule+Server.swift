// The catalogue's rules for a server as a whole and for the other names under /.well-known/. What is found here is
// found by the network checker. A table: it reads best whole.

extension LintRule {
    static let server: [LintRule] = [
        LintRule(
            .srv001, "an unknown well-known name is answered with 200",
            why: "Clients probe such a name to learn whether statuses can be trusted, and validators are misled.",
            fix: "answer 404 for every name under /.well-known/ that does not exist.",
            sources: [.w3cChangePassword, .rfc8615], subject: .host),
        LintRule(
            .srv002, "an unknown host is answered with somebody's files",
            why: "Whoever points a name at the server associates it with a stranger's app.",
            fix: "know each host by its exact name, and answer 404 or 421 otherwise.",
            sources: [.inference], subject: .host),
        LintRule(
            .srv003, "the host is compared with its case, port or trailing dot",
            why: "Verifiers spell it in each of these ways.",
            fix: "fold the case, and drop the port and one trailing dot.",
            sources: [.androidVerify, .swcutil], subject: .host),
        LintRule(
            .srv004, "ACME challenges are caught by routing or redirected to another host",
            why: "The certificate is not renewed, and then everything else fails.",
            fix: "answer /.well-known/acme-challenge/ on plain http.",
            sources: [.rfc8555], subject: .host),
        LintRule(
            .srv005, "the certificate is issued on the first request",
            why: "The first verifier times out, and the failure is remembered.",
            fix: "issue it before the app or the DNS entry is published.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .srv006, "change-password is a permanent redirect or leaves the site",
            why: "Clients cache it for good.",
            fix: "answer 302, 303 or 307 to the form.",
            sources: [.w3cChangePassword], subject: .host),
        LintRule(
            .srv007, "webauthn has the wrong type or more than five labels",
            why: "Another type than application/json is refused, and labels beyond the fifth are ignored.",
            fix: "send application/json with origins of five registrable names at most.",
            sources: [.w3cWebAuthn], subject: .host),
        LintRule(
            .srv008, "passkey-endpoints leaves the site",
            why: "Clients follow redirects on the same site only.",
            fix: "answer it on the host itself.",
            sources: [.w3cPasskeyEndpoints], subject: .host),
        LintRule(
            .srv009, "microsoft-identity-association.json is sent with a charset",
            why: "It is reported to fail the verification.",
            fix: "send exactly application/json.",
            sources: [.microsoftIdentity, .fieldReports], subject: .host),
        LintRule(
            .srv010, "security.txt is incomplete or expired",
            why: "Without Contact and a future Expires it is invalid.",
            fix: "bring it up to date.",
            sources: [.rfc9116], subject: .host),
        LintRule(
            .srv011, "the Apple Pay merchant file is changed or redirected",
            why: "It is compared byte for byte.",
            fix: "serve the file exactly as it was downloaded.",
            sources: [.applePay], subject: .host),
        LintRule(
            .srv012, "windows-app-web-link has a wrong name or lacks allowSubdomains",
            why: "It is not found, or links of wildcard hosts stay in the browser.",
            fix: "name it without .json, and set allowSubdomains where hosts are wildcards.",
            sources: [.microsoftAppLinks], subject: .host),
        LintRule(
            .srv013, "applinking.json has the wrong shape",
            why: "Huawei's service finds no app in it.",
            fix: "write {\"applinking\": {\"apps\": [{\"appIdentifier\": \"…\"}]}}.",
            sources: [.huaweiAppLinking], subject: .host),
        LintRule(
            .srv014, "the two platforms open different URLs",
            why: "The rules of apple-app-site-association and assetlinks.json have drifted apart.",
            fix: "render both from one app file.",
            sources: [.inference], subject: .host),
        LintRule(
            .srv015, "HTTP/1.1 is off, or an IPv6 address is published that does not answer",
            why: "Some verifiers know only the one or try only the other.",
            fix: "speak HTTP/1.1, and publish addresses that answer.",
            sources: [.inference], subject: .host),
        LintRule(
            .srv016, "the host answers with something else than this configuration",
            why: "A proxy in front, or another server, has a file of that name, and it is the one that phones see.",
            fix: "see who answers for the host, and let the request through to this server.",
            sources: [.fieldReports], subject: .host),
    ]
}
