// Rules for a host that serves an association file, which `associated check` finds over the network, and for the
// entitlements and the manifest that name the host.

import Association

extension LintRule {
    static let appleHosting: [LintRule] = [
        LintRule(
            .ahst001, "the file is not served with status 200",
            why: "With any other status there is no association.",
            fix: "Serve /.well-known/apple-app-site-association on this host.",
            sources: [.appleAssociatedDomains, .appleTN3155], subject: .host),
        LintRule(
            .ahst002, "the file is redirected",
            why: "Apple documents that it does not follow redirects.",
            fix: "Serve the file directly over https on each host.",
            sources: [.appleAssociatedDomains, .appleTN3155], subject: .host),
        LintRule(
            .ahst003, "the server denies the file to some clients",
            why:
                "Apple's fetcher identifies itself as AASA-Bot or CFNetwork and connects from anywhere. Apple "
                + "caches a denial.",
            fix: "Exempt the path from every bot filter, login and country block.",
            sources: [.appleTN3155, .appleAppClips, .appleCDN], subject: .host),
        LintRule(
            .ahst004, "the server answers with an error",
            why: "Apple tries again later. Until then no app is associated.",
            fix: "Find the cause in the log of the server, and correct it.",
            sources: [.appleSharedCredentials], subject: .host),
        LintRule(
            .ahst005, "the answer is an HTML page",
            why: "A catch-all page with status 200 hides that the file is missing. Apple reads it as broken JSON.",
            fix: "Route /.well-known/ before the catch-all page.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .ahst006, "Content-Type is not application/json",
            why: "Apple documents this type, although other types work today.",
            fix: "Send application/json.",
            sources: [.appleArchive, .appleCDN], subject: .host),
        LintRule(
            .ahst007, "Content-Type does not match the file",
            why: "application/pkcs7-mime is for signed files, and application/json for plain ones.",
            fix: "Send the type of the served file.",
            sources: [.appleArchive], subject: .host),
        LintRule(
            .ahst008, "the file is only at the root of the host",
            why:
                "Apple's current documents name only /.well-known/, and the developer and managed modes look "
                + "nowhere else.",
            fix: "Serve it under /.well-known/ too.",
            sources: [.appleAssociatedDomains, .appleWWDC20], subject: .host),
        LintRule(
            .ahst009, "the copies at the root and under /.well-known/ differ",
            why: "Current systems use the one under /.well-known/. Old systems may read the other.",
            fix: "Serve the same bytes at both.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .ahst010, "the file is served under a wrong name",
            why: "Apple asks for the exact name: in lower case, without .json.",
            fix: "Rename it to apple-app-site-association.",
            sources: [.appleAssociatedDomains], subject: .host),
        LintRule(
            .ahst011, "the certificate is not valid for the host",
            why: "Apple's CDN fetches the file over https and trusts only public certificate authorities.",
            fix: "Use a public certificate that covers this exact name and has not expired.",
            sources: [.appleAssociatedDomains, .appleEntitlement], subject: .host),
        LintRule(
            .ahst012, "the chain lacks an intermediate certificate",
            why: "Browsers download the missing certificate. Other clients fail.",
            fix: "Send the full chain.",
            sources: [.fieldReports], subject: .host),
        LintRule(
            .ahst013, "the answer is slow",
            why: "Apple's CDN gives up after about five seconds and remembers the failure for up to an hour.",
            fix: "Serve the file from memory, and avoid cold starts.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst014, "the host has a private or reserved address",
            why: "Apple's CDN refuses to connect to it.",
            fix: "Publish a public address, or use ?mode=developer for tests.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst015, "Apple's copy differs from the host's file",
            why:
                "The CDN keeps a copy for hours, and devices check again after days. With a copy that cannot be read, or one of "
                + "another server, no app opens: that is an error.",
            fix: "Wait. The finding shows the age of the copy, or what is wrong with it.",
            sources: [.appleAssociatedDomains, .appleCDN], subject: .host),
        LintRule(
            .ahst016, "Apple's CDN reports a failure",
            why: "Devices get this failure instead of the file.",
            fix: "Correct the cause that the finding shows.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst017, "the answer depends on the client",
            why: "Apple's fetcher may get another file than the one that you tested.",
            fix: "Send the same answer for every user agent, language and country.",
            sources: [.appleTN3155], subject: .host),
        LintRule(
            .ahst018, "Content-Encoding does not match the body",
            why: "Clients cannot decode the body.",
            fix: "Compress the body once, and name the encoding in the header.",
            subject: .host),
        LintRule(
            .ahst019, "HEAD and GET differ",
            why: "Apple does not use HEAD, but checking tools do.",
            fix: "Answer HEAD like GET, without the body.",
            subject: .host),
        LintRule(
            .ahst020, "the file may be cached for more than a day",
            why: "A change then takes that long to reach clients behind proxies.",
            fix: "Send a max-age of one hour or less.",
            sources: [.appleCDN], subject: .host),
        LintRule(
            .ahst021, "a domain has a scheme, a port, a path or a trailing slash",
            why: "An associated domain is only a host name, so iOS associates nothing with this entry.",
            fix: "Write the service and the host alone, such as applinks:shop.example.org.",
            sources: [.appleTN3155], subject: .nativeProject),
        LintRule(
            .ahst022, "the parent of a wildcard domain serves no file",
            why: "iOS fetches the file for *.example.com from example.com.",
            fix: "Serve the file on the parent domain too.",
            sources: [.appleTN3155], subject: .host),
        LintRule(
            .ahst023, "a wildcard in an appclips domain",
            why: "App Clips do not support wildcards.",
            fix: "List the hosts.",
            sources: [.appleAssociatedDomains, .appleAppClips], subject: .nativeProject),
        LintRule(
            .ahst024, "?mode= in the entitlement of a release",
            why: "The modes are for development and for managed devices.",
            fix: "Remove it before you submit the app.",
            sources: [.appleEntitlement], subject: .nativeProject),
        LintRule(
            .ahst025, "a domain is not a valid, full host name in ASCII form",
            why:
                "iOS rejects IP addresses, names without a dot, and names with a space or another character that host "
                + "names cannot have. It compares international names in Punycode.",
            fix: "Write a full host name, in Punycode if it is international.",
            sources: [.appleWWDC19], subject: .nativeProject),
        LintRule(
            .ahst026, "the file is on www and the entitlement names the bare domain, or the reverse",
            why: "They are two separate hosts.",
            fix: "Serve the file on both, and name both in the entitlement.",
            sources: [.appleTN3155], subject: .host),
        LintRule(
            .ahst027, "the Smart App Banner is incomplete",
            why: "Without app-id there is no banner. app-argument must be a URL that the app opens.",
            fix: "Write content=\"app-id=…, app-argument=https://…\".",
            sources: [.appleBanner], subject: .host),
        LintRule(
            .ahst028, "the entitlements and the app file have different hosts",
            why:
                "iOS associates a host only if the entitlements name it and the server serves a file for the app there.",
            fix: "Add the host where it is missing, or remove it from the other side.",
            sources: [.appleTN3155], subject: .nativeProject),
        LintRule(
            .ahst029, "the entitlements have no associated domains",
            why: "iOS then looks for no association file, and every link stays in the browser.",
            fix: "Add com.apple.developer.associated-domains, an array of entries such as applinks:shop.example.org.",
            sources: [.appleEntitlement], subject: .nativeProject),
    ]
}

extension LintRule {
    static let androidHosting: [LintRule] = [
        LintRule(
            .ghst001, "the file is not served with status 200",
            why: "Every verifier treats any other status as a failure.",
            fix: "Serve /.well-known/assetlinks.json on this host.",
            sources: [.androidVerify, .aosp], subject: .host),
        LintRule(
            .ghst002, "the file is redirected",
            why: "Google and Android do not follow redirects.",
            fix: "Serve the file directly over https on each host.",
            sources: [.androidVerify, .aosp, .googleAPI], subject: .host),
        LintRule(
            .ghst003, "Content-Type is not application/json",
            why: "Google reports a wrong content type. Android and Chromium ignore it.",
            fix: "Send application/json.",
            sources: [.googleAPI, .androidConfigure], subject: .host),
        LintRule(
            .ghst004, "TLS to the host fails",
            why:
                "Verifiers fetch the file over https and trust only public certificate authorities. Android does "
                + "not download a missing intermediate certificate.",
            fix: "Use a public certificate for this exact name, and send the full chain.",
            sources: [.googleAPI, .aosp], subject: .host),
        LintRule(
            .ghst005, "the answer takes more than five seconds",
            why: "Android gives up, so it does not verify the host.",
            fix: "Serve the file from memory.",
            sources: [.aosp], subject: .host),
        LintRule(
            .ghst006, or: .warning, "the file is larger than a verifier reads",
            why: "Android rejects more than 1 MiB. Google's limit is not published, so more than 256 KB is a warning.",
            fix: "Shorten the file, or split the apps over several hosts.",
            sources: [.aosp, .googleAPI]),
        LintRule(
            .ghst007, "robots.txt blocks Googlebot",
            why: "Google asks you to let Googlebot fetch the file for credential sharing.",
            fix: "Allow /.well-known/.",
            sources: [.googleCredentials], subject: .host),
        LintRule(
            .ghst008, "the host name with a trailing dot gets another answer",
            why: "Google's guide asks for the same content under both names.",
            fix: "Ignore one trailing dot of the host name.",
            sources: [.androidVerify], subject: .host),
        LintRule(
            .ghst009, "the parent of a wildcard host serves no file",
            why: "Android fetches the file for *.example.com from example.com.",
            fix: "Serve the file on the parent domain too.",
            sources: [.androidVerify], subject: .host),
        LintRule(
            .ghst010, "a host of the manifest lacks the file",
            why: "Android verifies each host separately. Up to Android 11, one failure makes all hosts fail.",
            fix: "Serve the file on each host.",
            sources: [.androidVerify], subject: .host),
        LintRule(
            .ghst011, "the server denies a verifier's user agent",
            why: "GoogleAssociationService, Googlebot and Dalvik need access to the file.",
            fix: "Exempt the path from every bot filter.",
            sources: [.googleCredentials, .fieldReports], subject: .host),
        LintRule(
            .ghst012, "the file may be cached for a long time",
            why: "Google and devices keep the old list for that time.",
            fix: "Send a max-age of one hour or less.",
            sources: [.googleAPI, .aosp], subject: .host),
        LintRule(
            .ghst013, "Google's service sees another file than the host serves",
            why: "Its copy is old, or its fetcher is blocked.",
            fix: "Wait until the reported age has passed, and check the reported error codes.",
            sources: [.googleAPI], subject: .host),
        LintRule(
            .ghst014, "the text starts with a byte order mark",
            why: "Android's reader skips it. It is not known whether Google's reader does.",
            fix: "Save the file as UTF-8 without a byte order mark.",
            sources: [.aosp, .inference]),
        LintRule(
            .ghst015, or: .error, "the manifest's intent filter is not in the form that Android verifies",
            why: "Without autoVerify, VIEW, DEFAULT, BROWSABLE or an http scheme, Android does not verify the host.",
            fix: "Use the filter that `associated snippet` prints.",
            sources: [.androidVerify], subject: .nativeProject),
        LintRule(
            .ghst016, "the manifest and the app file have different hosts or paths",
            why:
                "Android opens a link in the app only if the manifest lets it through and the server serves a file for the app "
                + "there. With a host that has none, Android 11 and earlier verify no host of the app.",
            fix: "Add the host or path where it is missing, or remove it from the other side.",
            sources: [.androidVerify], subject: .nativeProject),
        LintRule(
            .ghst017, or: .error, "the manifest's intent filter has a path or a host that no URL has",
            why:
                "Paths begin with a slash, and only android:pathPattern supports stars. Android compares hosts in "
                + "lower case, so a host with an upper-case letter never matches; this is an error.",
            fix: "Write paths as in the URL, patterns as android:pathPattern, and hosts in lower case.",
            sources: [.androidConfigure], subject: .nativeProject),
        LintRule(
            .ghst018, "an app is registered with another certificate than those in the file",
            why:
                "Google Play signs apps with its own key. With the fingerprint of an upload key in the file, no phone verifies the build "
                + "from Google Play.",
            fix: "List the fingerprint of App integrity in the Play Console.",
            sources: [.androidDeveloperID], subject: .host),
        LintRule(
            .ghst019, "an app is not registered with a verified developer",
            why: "Where Android requires that, phones do not install the app.",
            fix: "Register the package in the Play Console or in the Android Developer Console.",
            sources: [.androidDeveloperID], subject: .host),
        LintRule(
            .ghst020, "Google does not answer whether the apps are registered",
            why: "The API key is wrong, its requests of the day are used up, or the service does not answer.",
            fix: "See the reason in the finding. The result of the other checks does not depend on it.",
            sources: [.androidDeveloperID], subject: .host),
    ]
}
