// The evidence for a lint rule: a public document, observed behaviour, or an inference without a source. docs/rules.md
// prints it, so that a reader can check a claim.

/// A document or an observation behind a rule. The raw value is its title, as docs/rules.md prints it.
public enum RuleSource: String, Hashable, Sendable, CaseIterable {
    case appleAssociatedDomains = "Apple, Supporting associated domains"
    case appleEntitlement = "Apple, Associated Domains Entitlement"
    case appleConfiguring = "Apple, Configuring an associated domain"
    case appleDetails = "Apple, applinks.Details"
    case appleComponents = "Apple, applinks.Details.Components"
    case appleQuery = "Apple, applinks.Details.Components.Query"
    case appleVariables = "Apple, applinks.SubstitutionVariables"
    case appleTN3155 = "Apple, TN3155: Debugging universal links"
    case appleAppClips = "Apple, Associating your App Clip with your website"
    case appleArchive = "Apple, App Search Programming Guide (archived)"
    case appleSharedCredentials = "Apple, Shared Web Credentials Reference (archived)"
    case appleWWDC19 = "Apple, WWDC 2019 session 717"
    case appleWWDC20 = "Apple, WWDC 2020 session 10098"
    case appleBanner = "Apple, Promoting apps with Smart App Banners"
    case appleCertificates = "Apple, Requirements for trusted certificates in iOS 13 and macOS 10.15"
    case swcutil = "observed: Apple's swcutil on macOS 27"
    case appleCDN = "observed: answers of Apple's association CDN"
    case googleSpecification = "Google, Digital Asset Links specification"
    case googleStatements = "Google, Creating a statement list"
    case googleCompatibility = "Google, Digital Asset Links compatibility tests"
    case googleAPI = "Google, Digital Asset Links API"
    case googleCredentials = "Google, Seamless credential sharing"
    case androidVerify = "Android, Verify App Links"
    case androidConfigure = "Android, Configure website associations and dynamic rules"
    case androidTroubleshoot = "Android, Troubleshoot App Links"
    case androidApplicationID = "Android, Configure the app module (application ID)"
    case aosp = "observed: AOSP sources (StatementService, UriRelativeFilter, PatternMatcher)"
    case chromium = "observed: Chromium sources (content_relationship_verification)"
    case rfc5891 = "RFC 5891, Internationalized domain names: protocol"
    case rfc8259 = "RFC 8259, JSON"
    case rfc3986 = "RFC 3986, URI syntax"
    case rfc8555 = "RFC 8555, ACME"
    case rfc8615 = "RFC 8615, Well-known URIs"
    case rfc9116 = "RFC 9116, security.txt"
    case rfc9525 = "RFC 9525, Service identity in TLS"
    case w3cChangePassword = "W3C, A well-known URL for changing passwords"
    case w3cPasskeyEndpoints = "W3C, Passkey endpoints"
    case w3cWebAuthn = "W3C, Web Authentication (related origin requests)"
    case applePay = "Apple, Preparing merchant domains for verification"
    case microsoftIdentity = "Microsoft, Configure an app's publisher domain"
    case microsoftAppLinks = "Microsoft, Enable apps for websites"
    case huaweiAppLinking = "Huawei, App Linking"
    /// Several people reported it.
    case fieldReports = "field reports"
    /// It follows from other sources; no source states it.
    case inference = "inferred; no primary source"

    public var title: String { rawValue }
}
