// Rules for a server as a whole and for other well-known files, which `associated check` finds over the network, and for
// the server's own certificates, settings and pages.

import Association

extension LintRule {
    static let server: [LintRule] = [
        LintRule(
            .srv001, "an unknown well-known name is answered with 200",
            why:
                "Clients request such a name to learn whether they can trust the status codes. Validators are "
                + "misled too.",
            fix: "Answer 404 for every name under /.well-known/ that does not exist.",
            sources: [.w3cChangePassword, .rfc8615], subject: .host),
        LintRule(
            .srv002, "an unknown host is answered with another host's files",
            why: "Anyone who points a DNS name at the server associates that name with an app that is not theirs.",
            fix: "Match each host by its exact name, and answer 404 or 421 otherwise.",
            subject: .host),
        LintRule(
            .srv003, "the host name is compared with its case, port or trailing dot",
            why: "Verifiers write the name in all of these forms.",
            fix: "Ignore case, the port and one trailing dot.",
            sources: [.androidVerify, .swcutil], subject: .host),
        LintRule(
            .srv004, "ACME challenges are redirected to another host or caught by a route",
            why: "The certificate is not renewed. When it expires, everything else fails too.",
            fix: "Answer /.well-known/acme-challenge/ over plain http.",
            sources: [.rfc8555], subject: .host),
        LintRule(
            .srv005, "the certificate is issued on the first request",
            why: "The first verifier times out, and the failure is remembered.",
            fix: "Issue it before you publish the app or the DNS entry.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .srv006, "change-password is a permanent redirect or leaves the site",
            why: "Clients cache a permanent redirect forever.",
            fix: "Answer 302, 303 or 307 to the form on this site.",
            sources: [.w3cChangePassword], subject: .host),
        LintRule(
            .srv007, "webauthn has the wrong Content-Type or structure, or too many domains",
            why:
                "Browsers reject any Content-Type but application/json, and a file without an array `origins`. They "
                + "group the origins by the label before the ending (.com, .co.uk), and use only the first five groups: "
                + "shop.com, www.shop.com and shop.org are one group, `shop`.",
            fix:
                "Send the Content-Type application/json and {\"origins\": [\"https://…\"]}, with at most five such "
                + "groups.",
            sources: [.w3cWebAuthn], subject: .host),
        LintRule(
            .srv008, "passkey-endpoints is redirected",
            why: "W3C's draft allows no redirect since 2026; clients that follow none do not find the pages.",
            fix: "Answer the request on the host itself, without a redirect.",
            sources: [.w3cPasskeyEndpoints], subject: .host),
        LintRule(
            .srv009, "microsoft-identity-association.json is sent with a charset",
            why: "According to field reports, Microsoft's verification then fails.",
            fix: "Send exactly application/json.",
            sources: [.microsoftIdentity, .fieldReports], subject: .host),
        LintRule(
            .srv010, "security.txt is incomplete or expired",
            why: "Without Contact and an Expires date in the future, the file is invalid.",
            fix: "Update the file.",
            sources: [.rfc9116], subject: .host),
        LintRule(
            .srv011, "the Apple Pay merchant file is changed or redirected",
            why: "Apple compares it byte for byte.",
            fix: "Serve the file exactly as you downloaded it.",
            sources: [.applePay], subject: .host),
        LintRule(
            .srv012, "windows-app-web-link has a wrong name or lacks allowSubdomains",
            why: "Windows does not find the file, or links of wildcard hosts stay in the browser.",
            fix: "Name it without .json, and set allowSubdomains for wildcard hosts.",
            sources: [.microsoftAppLinks], subject: .host),
        LintRule(
            .srv013, "applinking.json has the wrong structure",
            why: "Huawei's service finds no app in it.",
            fix: "Write {\"applinking\": {\"apps\": [{\"appIdentifier\": \"…\"}]}}.",
            sources: [.huaweiAppLinking], subject: .host),
        LintRule(
            .srv014, "iOS and Android open different URLs",
            why: "The rules of apple-app-site-association and assetlinks.json disagree.",
            fix: "Generate both from one app file.",
            subject: .host),
        LintRule(
            .srv015, "HTTP/1.1 is off, or an IPv6 address does not answer",
            why: "Some verifiers support only HTTP/1.1, and some try only the IPv6 address.",
            fix: "Support HTTP/1.1, and publish only addresses that answer.",
            subject: .host),
        LintRule(
            .srv016, "the host serves something other than this configuration",
            why: "A reverse proxy or another server has a file of that name, and phones get that file.",
            fix: "Find out which server answers for the host, and forward the request to this server.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .srv017, "a host's own file lacks what `passkeys` of an app file asks for",
            why: "The own file is served in place of the generated one, so that part of the passkeys does not work.",
            fix: "Add what is missing to the file, or remove the file so that the generated one is served.",
            sources: [.inference], subject: .installation),
    ]
}

extension LintRule {
    static let certificate: [LintRule] = [
        rule(
            .cert001, "a certificate or key file cannot be read",
            why: "The host's TLS handshakes fail, or use an older certificate until it expires.",
            fix:
                "Make it a regular file that the server's user may read, in the host's own folder or in one of the "
                + "operator's link targets."),
        rule(
            .cert002, "a certificate without its key, or the reverse",
            why: "The server needs both files.",
            fix: "Put both files there, or neither."),
        rule(
            .cert003, "the file has no certificate, or a damaged one",
            why: "The server has nothing to present in a handshake.",
            fix: "Get the file again from the certificate authority."),
        rule(
            .cert004, "the file has no private key, or a damaged one",
            why: "The server cannot use a certificate without its key.",
            fix: "Put the key there in PEM form."),
        rule(
            .cert005, "the private key is encrypted",
            why: "The server starts by itself, so no operator can enter a passphrase, and it cannot use the key.",
            fix:
                "Decrypt it: openssl pkey -in privkey.pem -out NEW, then put NEW in its place. File permissions, systemd credentials "
                + "or a tmpfs protect it at rest."),
        rule(
            .cert006, "the key belongs to another certificate",
            why: "No client could complete a handshake.",
            fix: "Replace both files together, with a matching pair."),
        rule(
            .cert007, "the key is too short, too long, or of an unsupported type",
            why:
                "Clients reject a short key and do not know other types. With a very long RSA key, a few clients "
                + "can overload the server.",
            fix: "Use ECDSA on P-256, or RSA with 2048 bits.",
            sources: [.appleCertificates]),
        rule(
            .cert008, "a signature uses SHA-1 or MD5",
            why: "Every client rejects it.",
            fix: "Order a new certificate that is signed with SHA-256.",
            sources: [.appleCertificates]),
        rule(
            .cert009, "the certificate has expired",
            why: "Apple, Google, phones and browsers reject the host.",
            fix: "Renew it now."),
        rule(
            .cert010, "the certificate is not valid yet",
            why: "Every client rejects it until then.",
            fix: "Check the clock of this machine, or wait until the certificate is valid."),
        rule(
            .cert011, "the certificate is for other names",
            why: "Every client rejects it for this host.",
            fix: "Order one that includes the host name.",
            sources: [.rfc9525]),
        rule(
            .cert012, "the certificate is not meant for servers",
            why: "Clients check the extended key usage and reject it.",
            fix: "Order one for TLS web servers.",
            sources: [.appleCertificates]),
        rule(
            .cert013, "less than a tenth of the certificate's lifetime is left",
            why:
                "Automatic renewal has failed, because it normally happens with a third left. The server and the alerts "
                + "count at most 84 days of a lifetime, so a certificate for a year gets this finding 8 days before "
                + "it expires.",
            fix: "Renew it now, and check why automatic renewal failed."),
        rule(
            .cert014, "less than a quarter of the certificate's lifetime is left",
            why:
                "Automatic renewal normally happens with a third left. The server and the alerts count at most 84 days of "
                + "a lifetime, so a certificate for a year gets this finding 21 days before it expires.",
            fix: "Renew it, and check why automatic renewal failed."),
        rule(
            .cert015, "an intermediate certificate is missing",
            why: "Browsers may download it, but Android and the verifiers do not.",
            fix: "Use the whole chain (certbot's fullchain.pem instead of cert.pem).",
            sources: [.androidTroubleshoot, .inference]),
        rule(
            .cert016, "the chain is out of order",
            why: "This server sends it in the right order. Other programs that use the file may not.",
            fix: "Put the host's certificate first, then each issuer."),
        rule(
            .cert017, "the file has an unrelated certificate",
            why: "The server does not send it. It was probably meant for another file.",
            fix: "Remove it."),
        rule(
            .cert018, "the certificate is self-signed or from a development CA",
            why: "No phone and no verifier trusts it.",
            fix: "Use a certificate of a public certificate authority.",
            sources: [.appleConfiguring, .googleAPI]),
        rule(
            .cert019, "phones do not support this type of key",
            why: "They cannot complete a handshake with it.",
            fix: "Use ECDSA on P-256."),
        rule(
            .cert020, "a host's folder has a second pair of files",
            why: "The server presents only the certificate in fullchain.pem, with the key in privkey.pem.",
            fix: "Remove fullchain.rsa.pem and privkey.rsa.pem, or make them the host's only pair."),
        rule(
            .cert021, "other users can read the private key",
            why: "Anyone who has the key can impersonate the host.",
            fix:
                "Remove the rights of other users (chmod o=), and give group rights only to a group of the "
                + "server's user."),
        rule(
            .cert022, "a folder is not named after a host",
            why: "Its certificate is never used.",
            fix: "Name it after the host in lower case, or _wildcard.example.com, or _default."),
        rule(
            .cert023, "the chain includes the root certificate",
            why: "Clients have the root or do not trust it, so it only makes handshakes longer.",
            fix: "Remove it from the file."),
        rule(
            .cert024, "the files of a host's certificate are gone",
            why:
                "The server presents the last certificate that it read. After that has expired, no client can "
                + "connect to the host over TLS.",
            fix: "Put both files back, or stop serving the host."),
        rule(
            .cert025, or: .warning, "a served host has no certificate, and TLS is on",
            why: "The TLS handshakes of Apple's and Google's fetchers, phones and browsers fail.",
            fix:
                "Put fullchain.pem and privkey.pem into the host's folder, or a certificate for it into a "
                + "wildcard's folder. If the manager orders one, `associated acme status HOST` shows its progress. If the "
                + "certificates are not where `lint` runs, ignore the rule in server.json."),
    ]

    static let configuration: [LintRule] = [
        rule(
            .cfg001, "the settings cannot be read",
            why:
                "Without its settings the server could listen on other addresses than configured, so it does not "
                + "start.",
            fix: "Correct the line that the finding names, or let the server's user read the file."),
        rule(
            .cfg002, "unknown setting",
            why:
                "It has no effect. If it may have been meant to protect the server, the server does not start with it.",
            fix: "Use the nearest known key, or remove it."),
        rule(
            .cfg003, "a setting has an invalid value",
            why: "The server uses the default instead of the configured value.",
            fix: "Write a value of the type and in the range that the finding names."),
        rule(
            .cfg004, "a page cannot be served",
            why: "Its URL answers 404. Everything else is served.",
            fix: "Let the server's user read it, make it a regular file inside public, or remove it."),
        rule(
            .cfg005, "a well-known file cannot be served",
            why:
                "The server keeps the last good version. If there is none, the URL answers with the generated file "
                + "or with 404.",
            fix: "Let the server's user read it, and name its folder as the host is written in app files."),
        rule(
            .cfg006, "a precompressed page is not used",
            why:
                "The finding says why the compressed file cannot be used. The server serves the page itself, and "
                + "compresses it if it is small enough.",
            fix: "Compress the page again after each change, or remove the compressed file."),
        rule(
            .cfg007, "a landing page template cannot be used",
            why: "Links whose app is not installed show the server's default landing page.",
            fix: "Correct the line that the finding names. docs/hosting.md lists the placeholders of a template."),
        rule(
            .cfg008, "two names in apps/ look the same",
            why:
                "They differ only in how a character such as é is composed, and count as one name. Only one of "
                + "them is served.",
            fix: "Rename one of them."),
        rule(
            .cfg009, "a private key is among the files to serve",
            why:
                "The server never serves keys, whatever their name and whatever link points to them. The URL "
                + "answers 404.",
            fix: "Remove the file. If others could read it, replace the key and revoke its certificate."),
        rule(
            .cfg010, "a host or a folder of apps/ exceeds its quota of files",
            why:
                "One tenant must not use up the memory and time of all. The server keeps the last good version of "
                + "the folder and serves nothing new from it.",
            fix: "Remove files, or raise the key under limits that the finding names. docs/limits.md describes them."),
        rule(
            .cfg011, or: .note, "a host that no app file names",
            why:
                "A folder in hosts/ creates a host, so the server also serves a host with a typing error in its "
                + "name. If no app file names a similar host, this is a note.",
            fix:
                "Rename the folder, or name the host in an app file. Ignore the finding if only these files are "
                + "meant."),
        rule(
            .cfg012, "a file in retired/ has the same name as a live app file",
            why: "It confirms the removal of the app file in advance, so an accidental deletion takes effect at once.",
            fix: "Remove the file in retired/."),
        rule(
            .cfg013, "a file in apps/ is not read because of its name",
            why: "The names of app files end with .json or .json5, in lower case. Other files are ignored.",
            fix: "Write the file in JSON, and rename it."),
        rule(
            .cfg014, "a host belongs to two folders of owners",
            why: "The app files of both may add apps to it, so a mistake in one changes the links of the other.",
            fix: "Remove it from one of the two. Ignore the finding if they share the host on purpose."),
        rule(
            .cfg015, "a file in hosts/ is served in place of the generated one",
            why: "Changes of the app files then have no effect on this file.",
            fix: "Remove the file if the generated one is meant."),
        rule(
            .cfg016, "a folder of apps/ has the name of a tenant that publishes through the manager",
            why: "The operator's folder counts alone, so nothing that this tenant publishes is served.",
            fix: "Keep one of the two: move the files of the operator's folder away, or publish under another name."),
    ]
    private static func rule(
        _ id: RuleID, or otherSeverity: Severity? = nil, _ title: String, why: String, fix: String,
        sources: [RuleSource] = [.inference]
    ) -> LintRule {
        LintRule(id, or: otherSeverity, title, why: why, fix: fix, sources: sources, subject: .installation)
    }
}
