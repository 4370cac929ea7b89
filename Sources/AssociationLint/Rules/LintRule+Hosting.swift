// The catalogue's rules for a host that serves an apple-app-site-association file, and for the entitlement that points
// at it. What is found here is found by the network checker. A table: it reads best whole.

import Association

extension LintRule {
    static let appleHosting: [LintRule] = [
        LintRule(
            .ahst001, "the file is not answered with 200",
            why: "Any other status means that there is no association.",
            fix: "serve /.well-known/apple-app-site-association on this host.",
            sources: [.appleAssociatedDomains, .appleTN3155], subject: .host),
        LintRule(
            .ahst002, "the file is answered with a redirect",
            why: "Apple documents that redirects are not followed.",
            fix: "serve the file directly on each host, https and without a detour.",
            sources: [.appleAssociatedDomains, .appleTN3155], subject: .host),
        LintRule(
            .ahst003, "the file is refused to some clients",
            why: "Apple's fetcher names itself AASA-Bot or CFNetwork and comes from anywhere; a refusal is cached.",
            fix: "exempt the path from every bot filter, login and country block.",
            sources: [.appleTN3155, .appleAppClips, .appleCDN], subject: .host),
        LintRule(
            .ahst004, "the server answers with an error",
            why: "Apple tries again later, and until then nothing is associated.",
            fix: "mend the server.",
            sources: [.appleSharedCredentials], subject: .host),
        LintRule(
            .ahst005, "the answer is an HTML page",
            why: "A catch-all page with status 200 hides that the file is missing; it is read as broken JSON.",
            fix: "route /.well-known/ before the page.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .ahst006, "Content-Type is not application/json",
            why: "It is what Apple documents, although other types are seen to work today.",
            fix: "send application/json.",
            sources: [.appleArchive, .appleCDN], subject: .host),
        LintRule(
            .ahst007, "Content-Type and content disagree about a signature",
            why: "application/pkcs7-mime is for signed files and application/json for plain ones.",
            fix: "send the type of what is served.",
            sources: [.appleArchive], subject: .host),
        LintRule(
            .ahst008, "the file is only at the root of the host",
            why: "Current documents name /.well-known/ only, and the developer and managed modes ask nowhere else.",
            fix: "serve it under /.well-known/ too.",
            sources: [.appleAssociatedDomains, .appleWWDC20], subject: .host),
        LintRule(
            .ahst009, "the copies at the root and under /.well-known/ differ",
            why: "/.well-known/ wins on current systems; old ones may read the other.",
            fix: "serve the same bytes at both.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .ahst010, "the file is served under a wrong name",
            why: "The name is exact: no .json, all lower case.",
            fix: "rename it to apple-app-site-association.",
            sources: [.appleAssociatedDomains], subject: .host),
        LintRule(
            .ahst011, "the certificate is not valid for the host",
            why: "Apple's CDN fetches over https with the public roots only.",
            fix: "use a public certificate that covers exactly this name and has not expired.",
            sources: [.appleAssociatedDomains, .appleEntitlement], subject: .host),
        LintRule(
            .ahst012, "the chain lacks an intermediate certificate",
            why: "Browsers fetch the missing one; other clients fail.",
            fix: "send the full chain.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .ahst013, "the answer is slow",
            why: "Apple's CDN gives up after about five seconds and remembers the failure for up to an hour.",
            fix: "serve the file from memory and keep the host warm.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst014, "the host has a private or reserved address",
            why: "Apple's CDN refuses to connect to it.",
            fix: "publish a public address, or use ?mode=developer for tests.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst015, "Apple's copy differs from the host's",
            why: "The CDN keeps a copy for hours, and devices look again after days.",
            fix: "wait; the finding shows the age of the copy.",
            sources: [.appleAssociatedDomains, .appleCDN], subject: .host),
        LintRule(
            .ahst016, "Apple's CDN reports a failure",
            why: "This is what devices get.",
            fix: "act on the reason that the finding shows.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst017, "the answer depends on who asks",
            why: "Apple's fetcher may get another body than the one that was tested.",
            fix: "answer the same to every agent, language and country.",
            sources: [.appleTN3155], subject: .host),
        LintRule(
            .ahst018, "Content-Encoding does not fit the body",
            why: "The body cannot be decoded.",
            fix: "compress once, and say so.",
            sources: [.inference], subject: .host),
        LintRule(
            .ahst019, "HEAD and GET differ",
            why: "Apple does not use HEAD, but checking tools do.",
            fix: "answer HEAD as GET, without the body.",
            sources: [.inference], subject: .host),
        LintRule(
            .ahst020, "the file may be cached for more than a day",
            why: "A change then takes that long to pass through proxies.",
            fix: "send max-age of an hour or less.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst021, "a domain has a scheme, a port, a path or a trailing slash",
            why: "An associated domain is a host name and nothing else.",
            fix: "write the host alone.",
            sources: [.appleTN3155], subject: .nativeProject),
        LintRule(
            .ahst022, "a wildcard domain whose parent serves no file",
            why: "For *.example.com the file is fetched from example.com.",
            fix: "serve the file on the parent too.",
            sources: [.appleTN3155], subject: .host),
        LintRule(
            .ahst023, "a wildcard in an appclips domain",
            why: "App Clips do not support it.",
            fix: "list the hosts.",
            sources: [.appleAssociatedDomains, .appleAppClips], subject: .nativeProject),
        LintRule(
            .ahst024, "?mode= is left in the entitlement of a release",
            why: "The modes are for development and managed devices.",
            fix: "remove it before the app is submitted.",
            sources: [.appleEntitlement], subject: .nativeProject),
        LintRule(
            .ahst025, "a domain is an address, has no dot, or is not in ASCII form",
            why: "Such domains are refused; international names are compared in Punycode.",
            fix: "write a full host name, in Punycode where it needs it.",
            sources: [.appleWWDC19], subject: .nativeProject),
        LintRule(
            .ahst026, "the entitlement names one of www and the bare domain, the file is on the other",
            why: "They are separate hosts.",
            fix: "serve both, and name both.",
            sources: [.appleTN3155], subject: .host),
        LintRule(
            .ahst027, "the Smart App Banner is incomplete",
            why: "Without app-id there is no banner; app-argument has to be a URL that the app opens.",
            fix: "write content=\"app-id=…, app-argument=https://…\".",
            sources: [.appleBanner], subject: .host),
        LintRule(
            .ahst028, "the entitlement names a host that no app file has",
            why: "Nothing is served for the app there, so iOS associates it with nothing.",
            fix: "add the host to the app file, or remove it from the entitlement.",
            sources: [.appleTN3155], subject: .nativeProject),
        LintRule(
            .ahst029, "the entitlements have no associated domains",
            why: "iOS looks for no association file then, and every link stays in the browser.",
            fix: "add com.apple.developer.associated-domains, an array of entries such as applinks:shop.example.org.",
            sources: [.appleEntitlement], subject: .nativeProject),
    ]
}

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
