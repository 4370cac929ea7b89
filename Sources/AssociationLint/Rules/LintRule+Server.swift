// The catalogue's rules for a server as a whole and for the other names under /.well-known/. What is found here is
// found by the network checker. A table: it reads best whole.

import Association

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

extension LintRule {
    static let certificate: [LintRule] = certificateFiles + certificateRefusals + certificateChains

    /// What keeps a pair of files from being used at all; what was in service stays.
    private static let certificateFiles: [LintRule] = [
        rule(
            .cert001, "a certificate or key file cannot be read",
            why: "The host's handshakes fail, or keep an older certificate until it expires.",
            fix:
                "make it a regular file that the server's user may read, in the host's own folder or in a place of the operator."
        ),
        rule(
            .cert002, "half a pair of certificate and key",
            why: "Neither is of use alone.",
            fix: "put both files of the pair there, or neither."),
        rule(
            .cert003, "no certificate in the file, or a damaged one",
            why: "There is nothing to show in a handshake.",
            fix: "fetch the file again from where it was issued."),
        rule(
            .cert004, "no private key in the file, or a damaged one",
            why: "Without it the certificate proves nothing.",
            fix: "put the key there in PEM form."),
        rule(
            .cert005, "the key's passphrase is missing or wrong, or takes too much work to try",
            why: "The key stays locked.",
            fix: "name a file that has the passphrase, take it off the key, or protect the key with fewer rounds "
                + "(openssl pkcs8 -topk8 -iter 600000)."),
        rule(
            .cert006, "the key belongs to another certificate",
            why: "No client could finish a handshake.",
            fix: "replace both files together, from one order."),
        rule(
            .cert007, "the key is too short",
            why: "Every client refuses it.",
            fix: "use ECDSA on P-256, or RSA with 2048 bits.", sources: [.appleCertificates]),
        rule(
            .cert008, "a signature rests on SHA-1 or MD5",
            why: "Every client refuses it.",
            fix: "order a new certificate, signed with SHA-256.", sources: [.appleCertificates]),
    ]

    /// What can be served and is refused, now or soon.
    private static let certificateRefusals: [LintRule] = [
        rule(
            .cert009, "the certificate has expired",
            why: "Apple, Google, phones and browsers refuse the host.",
            fix: "renew it now."),
        rule(
            .cert010, "the certificate is not valid yet",
            why: "Every client refuses it until then.",
            fix: "check the clock of this machine, or wait with using it."),
        rule(
            .cert011, "the certificate is for other names",
            why: "Every client refuses it for this host.",
            fix: "order one that names the host.", sources: [.rfc9525]),
        rule(
            .cert012, "the certificate is not meant for servers",
            why: "Clients look at the extended key usage and refuse it.",
            fix: "order one for TLS web servers.", sources: [.appleCertificates]),
        rule(
            .cert013, "the certificate expires within days",
            why: "Less than seven days, or a tenth of its life, is left, so its renewal has stopped working.",
            fix: "renew it now, and find out why it was not renewed."),
        rule(
            .cert014, "the certificate expires within weeks",
            why: "Less than 21 days, or a third of its life, is left; automatic renewal comes earlier.",
            fix: "renew it, and find out why it was not renewed."),
    ]

    /// What some clients mind, or nobody but the administrator.
    private static let certificateChains: [LintRule] = [
        rule(
            .cert015, "the issuer's certificate is missing",
            why: "Browsers may fetch it themselves, but Android and the verifiers do not.",
            fix: "use the whole chain (certbot's fullchain.pem instead of cert.pem).",
            sources: [.androidTroubleshoot, .inference]),
        rule(
            .cert016, "the chain is out of order",
            why: "It is served in order; other programs that use the file may not be as kind.",
            fix: "put the host's certificate first, then each issuer."),
        rule(
            .cert017, "a certificate that has nothing to do with the host's",
            why: "It is not served, and was probably meant for another file.",
            fix: "remove it."),
        rule(
            .cert018, "the certificate is signed by itself",
            why: "No phone and no verifier trusts it.",
            fix: "use a certificate of a public authority.", sources: [.appleConfiguring, .googleAPI]),
        rule(
            .cert019, "a kind of key that phones do not know",
            why: "They cannot finish a handshake with it.",
            fix: "use ECDSA on P-256."),
        rule(
            .cert020, "two certificates with the same kind of key",
            why: "Only one of them is ever shown.",
            fix: "make one ECDSA and the other RSA, or remove one."),
        rule(
            .cert021, "the private key can be read by others",
            why: "Whoever has it can pretend to be the host.",
            fix:
                "take the rights of other users away (chmod o=), and give those of the group to a group of the server's user."
        ),
        rule(
            .cert022, "a folder that no host has the name of",
            why: "Its certificate is never used.",
            fix: "name it after the host in lower case, or _wildcard.example.com, or _default."),
        rule(
            .cert023, "the root is sent along behind intermediates",
            why: "Clients have it or do not trust it, so it only makes handshakes longer.",
            fix: "remove it from the file."),
        rule(
            .cert024, "the files of a host's certificate are gone",
            why: "A running server shows the last one it read; when it ends, nobody reaches the host.",
            fix: "put both files back, or stop serving the host."),
        rule(
            .cert025, "a served host has no certificate, and TLS is on",
            why: "Apple's and Google's fetchers, phones and browsers are refused in the handshake.",
            fix: "put fullchain.pem and privkey.pem into the host's folder, or a certificate for it into a wildcard's."),
    ]

    private static func rule(
        _ id: RuleID, _ title: String, why: String, fix: String, sources: [RuleSource] = [.inference]
    ) -> LintRule {
        LintRule(id, title, why: why, fix: fix, sources: sources, subject: .installation)
    }
}

extension LintRule {
    static let configuration: [LintRule] = [
        LintRule(
            .cfg001, "the settings cannot be read",
            why: "Without its settings the server would listen elsewhere than it is asked to, so it does not start.",
            fix: "mend the line it names, or let the server's user read the file.", sources: [.inference],
            subject: .installation),
        LintRule(
            .cfg002, "an unknown setting",
            why: "It has no effect, and was meant to have one.",
            fix: "use the nearest known key, or remove it.", sources: [.inference], subject: .installation),
        LintRule(
            .cfg003, "a setting with a value that it cannot have",
            why: "It keeps its default, which is not what was asked for.",
            fix: "write a value of the kind and within the bounds that the message names.", sources: [.inference],
            subject: .installation),
        LintRule(
            .cfg004, "a page that cannot be served",
            why: "Its address answers 404; everything else is served.",
            fix: "let the server's user read it, make it a plain file inside public, or remove it.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg005, "a well-known file that cannot be served",
            why: "What was served stays; without that its address answers with what is rendered, or with 404.",
            fix: "let the server's user read it, and name its folder as the host is written in app files.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg006, "a packed page that is not used",
            why: "The page is served, packed by the server itself where it is small enough.",
            fix: "pack it again whenever the page has changed, or remove the packed file.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg007, "a landing page template that cannot be used",
            why: "Links whose app is not installed end on the page that the server has for every app.",
            fix: "mend the line it names; docs/hosting.md has the places that a template can have.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg008, "two names in apps/ that look the same",
            why: "They differ in how a character such as é is composed, and count as one: only one of them is served.",
            fix: "rename one of them.", sources: [.inference], subject: .installation),
        LintRule(
            .cfg009, "a private key among the files to serve",
            why: "Keys are never served, whatever their name and whatever link leads to them. The address answers 404.",
            fix: "remove the file. If others could read it, replace the key and revoke its certificate.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg010, "more files than a host's share, or than that of a folder of apps/",
            why:
                "One tenant must not take memory and time of all. What was served of the folder stays, and nothing new of it is "
                + "served.",
            fix: "remove files, or raise the key under limits that the message names; docs/limits.md has them.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg011, or: .note, "a host that no app file names",
            why:
                "A folder in hosts/ makes a host of its own, so a typing error in its name is served too. It is a note where no "
                + "app file names a host of a similar name.",
            fix: "rename the folder, or name the host in an app file; ignore it where only these files are meant.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg012, "a file in retired/ beside a live app file of the same name",
            why: "It confirms the removal of the app file beforehand, so a deletion by mistake takes effect at once.",
            fix: "remove the file in retired/.", sources: [.inference], subject: .installation),
    ]
}
