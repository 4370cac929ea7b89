// The page for a link whose app is not installed: what the link is, where to get the app, and a button that opens it. Rendered
// once for each app; only the link is inserted for each request. It has no script and loads nothing.

import Association
import Catalogue
import HTTP
import TLS

enum LandingPage {
    /// Short, because the next version of the app file may change the page.
    private static let cacheSeconds = 60

    /// The page of an app; nil if it is turned off, or no rule can be decided by a server.
    static func make(for app: AppFile) -> PreparedLanding? {
        guard app.pages.hasLandingPage else { return nil }
        let rules = app.compiledRules.map(LinkRule.init)
        guard rules.contains(where: { !$0.excludes }) else { return nil }
        var text = LandingText()
        text.add(opening)
        text.endSegment()
        text.add("<title>")
        text.add(escaping: app.name)
        text.add("</title>\n")
        addMetadata(of: app, to: &text)
        addBody(of: app, to: &text)
        return PreparedLanding(rules: rules, head: head, segments: text.segments)
    }

    /// Shared by all apps.
    private static let head = head(
        policy: "default-src 'none'; style-src 'sha256-\(Digest.base64(Digest.sha256(Array(style.utf8))))'; "
            + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")

    /// Status and header fields of a landing page. It has no ETag and no date, because each link has a page of its own.
    static func head(policy: String) -> PreparedAnswer {
        var shared = FieldLines()
        shared.add("cache-control", "max-age=\(cacheSeconds)")
        var fields = FieldLines()
        fields.add("content-security-policy", policy)
        fields.add("x-content-type-options", "nosniff")
        return PreparedAnswer(
            kind: .page,
            identity: Representation(
                sharedFields: shared, contentType: "text/html; charset=utf-8", bodyFields: fields, entityTag: "",
                content: .bytes([])))
    }

    /// The tags by which programs find the app, and which messengers show with the link.
    static func addMetadata(of app: AppFile, to text: inout LandingText) {
        let description = app.pages.tagline ?? "This link opens in \(app.name)."
        text.addMeta("name", "description") { $0.add(escaping: description) }
        text.addMeta("property", "og:title") { $0.add(escaping: app.name) }
        text.addMeta("property", "og:description") { $0.add(escaping: description) }
        if let storeID = app.ios?.storeID {
            text.addMeta("name", "apple-itunes-app") {
                $0.add(escaping: "app-id=\(storeID), app-argument=https://")
                $0.addLink(.listItem)
                if let clip = app.ios?.appClips.first, let dot = clip.firstIndex(of: ".") {
                    $0.add(escaping: ", app-clip-bundle-id=\(clip[dot...].dropFirst()), app-clip-display=card")
                }
            }
            text.addMeta("property", "al:ios:app_store_id") { $0.add(escaping: storeID) }
        }
        if app.ios != nil { addAppLink("ios", of: app, to: &text) }
        if let package = app.android?.packages.first {
            text.addMeta("property", "al:android:package") { $0.add(escaping: package.name) }
            addAppLink("android", of: app, to: &text)
        }
        text.addMeta("property", "al:web:url") {
            $0.add("https://")
            $0.addLink(.attribute)
        }
    }

    private static func addAppLink(_ platform: String, of app: AppFile, to text: inout LandingText) {
        text.addMeta("property", "al:\(platform):app_name") { $0.add(escaping: app.name) }
        guard let scheme = app.scheme else { return }
        text.addMeta("property", "al:\(platform):url") { $0.addAppLink(scheme: scheme) }
    }

    private static func addBody(of app: AppFile, to text: inout LandingText) {
        text.add("</head>\n<body>\n<main>\n  <p class=\"mark\" aria-hidden=\"true\">")
        text.add(escaping: String(app.name.prefix(1)))
        text.add("</p>\n  <h1>")
        text.add(escaping: app.name)
        text.add("</h1>\n")
        if let tagline = app.pages.tagline {
            text.add("  <p class=\"lead\">")
            text.add(escaping: tagline)
            text.add("</p>\n")
        }
        text.add("  <p class=\"touch\">This link opens in the app. Get the app, then open the link again.</p>\n")
        text.add("  <p class=\"desktop\">This link opens in the app. Open it on your phone.</p>\n")
        addButtons(of: app, to: &text)
        text.add("  <p class=\"link\">https://")
        text.addLink(.attribute)
        text.add("</p>\n</main>\n</body>\n</html>\n")
    }

    /// One button for the phone's platform: the store, because the app is hardly installed where this page is seen, or the app's own
    /// scheme if it is in no store. Without a script: style sheets can tell iOS from other phones.
    private static func addButtons(of app: AppFile, to text: inout LandingText) {
        let stores = [
            ("ios", app.appStoreURL, "Download on the App Store"),
            ("android", app.playStoreURL, "Get it on Google Play"),
        ].filter { $0.1 != nil }
        guard app.scheme != nil || !stores.isEmpty else { return }
        // With one store only, phones of the other platform see it too.
        text.add("  <ul\(stores.count > 1 ? " class=\"choice\"" : "")>\n")
        for (platform, url, label) in stores {
            text.add("    <li class=\"\(platform)\"><a class=\"main\" href=\"")
            text.add(escaping: url ?? "")
            if platform == "android" { text.addLink(.referrer) }
            text.add("\">\(label)</a></li>\n")
        }
        if let scheme = app.scheme {
            text.add("    <li class=\"phone\"><a class=\"\(stores.isEmpty ? "main" : "quiet")\" href=\"")
            text.addAppLink(scheme: scheme)
            text.add("\">\(stores.isEmpty ? "Open in the app" : "I have the app: open it")</a></li>\n")
        }
        text.add("  </ul>\n")
    }

    private static let opening = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <style>\(style)</style>

        """

    private static let style = """

          :root {
            color-scheme: light dark;
            --paper: #fbfaf7; --ink: #1d2328; --soft: #57616a; --line: #c9c4b8; --accent: #0b5c7a; --on: #fff;
          }
          @media (prefers-color-scheme: dark) {
            :root {
              --paper: #14181b; --ink: #e8e6e1; --soft: #a3adb5; --line: #424c54; --accent: #7cc4e0; --on: #0d1a20;
            }
          }
          * { box-sizing: border-box; }
          body {
            margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--paper); color: var(--ink);
            font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          }
          main {
            width: 100%; max-width: 26rem; padding: 2.5rem 1.5rem; text-align: center;
            overflow-wrap: anywhere; text-wrap: balance;
          }
          p { margin: 0 0 1rem; color: var(--soft); }
          .mark {
            width: 4.5rem; height: 4.5rem; margin: 0 auto 1.25rem; border-radius: 1.125rem; font-size: 2.25rem;
            font-weight: 600; line-height: 4.5rem; background: var(--accent); color: var(--on); overflow: hidden;
          }
          h1 { font-size: 1.75rem; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 0.5rem; }
          .lead { font-size: 1.125rem; color: var(--ink); }
          ul { list-style: none; margin: 1.75rem 0; padding: 0; display: grid; gap: 0.75rem; }
          a {
            display: block; padding: 0.8125rem 1rem; border: 1px solid var(--line); border-radius: 0.75rem;
            color: var(--ink); font-weight: 600; text-decoration: none;
          }
          a:hover { border-color: var(--accent); }
          a.main { background: var(--accent); border-color: var(--accent); color: var(--on); }
          a.quiet { border-color: transparent; color: var(--accent); }
          a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
          .link { margin: 0; font-size: 0.875rem; }
          .desktop { display: none; }
          @media (min-width: 48rem) and (hover: hover) and (pointer: fine) {
            .desktop { display: block; }
            .touch { display: none; }
            .phone { display: none; }
            a.main { background: none; border-color: var(--line); color: var(--ink); }
          }
          @media (hover: none) and (pointer: coarse) {
            .choice .ios { display: none; }
            /* Only browsers on iOS have this property. */
            @supports (-webkit-touch-callout: none) {
              .choice .ios { display: list-item; }
              .choice .android { display: none; }
            }
          }

        """
}

extension LinkRule {
    fileprivate init(_ rule: CompiledRule) {
        self.init(excludes: rule.excludes, foldsCase: rule.foldsCase, path: rule.path.map { LinkPattern($0) })
        switch rule.query {
        case nil: break
        case .whole(let pattern): query = LinkPattern(pattern)
        case .items(let wanted): items = wanted.map { Item(name: $0.name, pattern: LinkPattern($0.pattern)) }
        }
    }
}
