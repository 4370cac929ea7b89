// The catalogue's rules for a host that serves an apple-app-site-association file, and for the entitlement that points
// at it. What is found here is found by the network checker. A table: it reads best whole.

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
