// The catalogue's rules for the certificates and keys in `config/hosts`. They are found when a certificate is first used and
// whenever its files change. A table: it reads best whole.

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
