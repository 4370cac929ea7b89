// The catalogue's rules for a host that serves assetlinks.json, and for the manifest that points at it. Most are found
// by the network checker; size and byte order mark show in the file already. A table: it reads best whole.

extension LintRule {
    static let androidHosting: [LintRule] = [
        LintRule(
            .ghst001, "the file is not answered with 200",
            why: "Every verifier takes anything else as a failure.",
            fix: "serve /.well-known/assetlinks.json on this host.",
            sources: [.androidVerify, .aosp], subject: .host),
        LintRule(
            .ghst002, "the file is answered with a redirect",
            why: "Google and AOSP refuse to follow it.",
            fix: "serve the file directly on each host, https and without a detour.",
            sources: [.androidVerify, .aosp, .googleAPI], subject: .host),
        LintRule(
            .ghst003, "Content-Type is not application/json",
            why: "Google reports a wrong content type; AOSP and Chromium do not look.",
            fix: "send application/json.",
            sources: [.googleAPI, .androidConfigure], subject: .host),
        LintRule(
            .ghst004, "TLS to the host fails",
            why: "The file is fetched over https with the public roots, and Android fetches no missing intermediate.",
            fix: "use a public certificate for exactly this name and send the full chain.",
            sources: [.googleAPI, .aosp], subject: .host),
        LintRule(
            .ghst005, "the answer takes more than five seconds",
            why: "AOSP gives up.",
            fix: "serve the file from memory.",
            sources: [.aosp], subject: .host),
        LintRule(
            .ghst006, or: .warning, "the file is larger than a verifier reads",
            why: "AOSP refuses more than 1 MiB; Google's limit is not published, so 256 KB is a warning.",
            fix: "shorten it; split the apps over several hosts.",
            sources: [.aosp, .googleAPI]),
        LintRule(
            .ghst007, "robots.txt keeps the file from Googlebot",
            why: "Google asks that Googlebot may fetch it for credential sharing.",
            fix: "allow /.well-known/.",
            sources: [.googleCredentials], subject: .host),
        LintRule(
            .ghst008, "the host with a trailing dot answers differently",
            why: "Google's guide asks for the same content under both spellings.",
            fix: "ignore one trailing dot of the host.",
            sources: [.androidVerify], subject: .host),
        LintRule(
            .ghst009, "the bare domain lacks the file that a wildcard needs",
            why: "For *.example.com the file is fetched from example.com.",
            fix: "serve it there.",
            sources: [.androidVerify], subject: .host),
        LintRule(
            .ghst010, "a host of the manifest lacks the file",
            why: "Each host is verified by itself, and up to Android 11 one failure fails them all.",
            fix: "serve it on each.",
            sources: [.androidVerify], subject: .host),
        LintRule(
            .ghst011, "a verifier's agent is refused",
            why: "GoogleAssociationService, Googlebot and Dalvik have to be let in.",
            fix: "exempt the path from every bot filter.",
            sources: [.googleCredentials, .fieldReports], subject: .host),
        LintRule(
            .ghst012, "the file may be cached for long",
            why: "Google and devices keep the old list for that time.",
            fix: "send max-age of an hour or less.",
            sources: [.googleAPI, .aosp], subject: .host),
        LintRule(
            .ghst013, "Google's service sees something else than the host serves",
            why: "Its copy is old, or its fetcher is blocked.",
            fix: "wait for the age that it reports, and read its error codes.",
            sources: [.googleAPI], subject: .host),
        LintRule(
            .ghst014, "the text starts with a byte order mark",
            why: "Android's reader skips it; whether Google's does is unknown.",
            fix: "save the file as UTF-8 without a byte order mark.",
            sources: [.aosp, .inference]),
        LintRule(
            .ghst015, or: .error, "the manifest's filter is not in the shape that is verified",
            why: "Without autoVerify, VIEW, DEFAULT, BROWSABLE or an http scheme the host is not verified at all.",
            fix: "use the filter that `associated snippet` prints.",
            sources: [.androidVerify], subject: .nativeProject),
        LintRule(
            .ghst016, "the manifest names a host that no app file has",
            why: "Nothing is served for the app there; Android 11 and earlier verify no host of an app then.",
            fix: "add the host to the app file, or remove it from the manifest.",
            sources: [.androidVerify], subject: .nativeProject),
        LintRule(
            .ghst017, or: .error, "the manifest's filter has a path or a host that no URL has",
            why:
                "Paths begin with a slash, only android:pathPattern has stars, and hosts are compared in lower case: with an "
                + "upper-case letter, which is an error, the host is never equal.",
            fix: "write paths as the URL has them, patterns as android:pathPattern, and hosts in lower case.",
            sources: [.androidConfigure], subject: .nativeProject),
    ]
}
