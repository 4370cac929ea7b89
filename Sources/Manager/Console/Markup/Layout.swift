// What all pages have: the head, the navigation, who is signed in, and what is wrong with the source of the page.

import HTTP
import Service
import TLS

/// A page as the browser gets it.
struct Layout {
    let title: String
    /// Of the page that is shown, for the navigation.
    let path: String
    /// Nil for the form to sign in.
    let session: Session?
    /// Whether the same address gets the page again.
    var isLive = false
    /// What a search was for.
    var query = ""
    /// What is missing on the page, and why.
    var problems: [String] = []

    private static let places = [
        ("/", "Overview"), ("/hosts", "Hosts"), ("/apps", "Apps"), ("/certificates", "Certificates"),
        ("/tester", "Tester"), ("/activity", "Activity"),
    ]

    func document(_ main: HTML) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>\(title) · associated</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <link rel="icon" href="\(Asset.icon.path)" type="image/svg+xml">
        <link rel="stylesheet" href="\(Asset.style.path)">
        <script defer src="\(Asset.script.path)"></script>
        </head>
        <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
        <a class="brand" href="/">\(Layout.mark)associated</a>
        \(session.map { _ in search })\(session.map(account))
        \(session.map { _ in navigation })</header>
        <main id="main" tabindex="-1"\(#"data-live"#, if: isLive)>
        \(problems.map { Layout.notice(.bad, "\($0)") })\(main)</main>
        <p id="status" role="status"></p>
        </body>
        </html>

        """
    }

    static func notice(_ tone: Tone, _ text: HTML) -> HTML {
        "<p class=\"notice \(tone.rawValue)\">\(tone.icon)<span>\(text)</span></p>\n"
    }

    private var navigation: HTML {
        let links = Layout.places.map { place, name -> HTML in
            let isHere = place == "/" ? path == "/" : path == place || path.hasPrefix(place + "/")
            return #"<li><a href="\#(place)"\#(#"aria-current="page""#, if: isHere)>\#(name)</a></li>"#
        }
        return "<nav aria-label=\"Main\"><ul>\(links)</ul></nav>\n"
    }

    private var search: HTML {
        """
        <form class="search" role="search" action="/search"><label for="q" class="hidden">Search</label>\
        <input id="q" name="q" type="search" value="\(exactly: query)" autocomplete="off" autocapitalize="none" spellcheck="false" \
        placeholder="Host, URL, app id, package, tenant"><button>Search</button></form>

        """
    }

    private func account(_ session: Session) -> HTML {
        let who = session.identity.tenant ?? (session.isOpen ? "development" : "all tenants")
        return """
            <div class="account"><span title="\(session.identity.name)">\(who)\(session.isReadOnly ? ", read-only" : "")</span>\
            \(session.isOpen ? .none : action("/sign-out", "Sign out"))</div>

            """
    }

    static let mark: HTML = """
        <svg viewBox="0 0 56 56" fill="none" stroke="currentColor" stroke-width="3.5" stroke-linejoin="round" aria-hidden="true">\
        <path d="M30 42H8a4 4 0 0 1-4-4V14a4 4 0 0 1 4-4h36a4 4 0 0 1 4 4v1M4 18h24"/><rect x="34" y="21" width="18" height="29" rx="4"/>\
        <path d="M41 44h4" stroke-linecap="round"/></svg>
        """
}

/// A file of the console, of which browsers keep a copy: its path changes with it.
struct Asset: Sendable {
    let path: String
    private let type: String
    private let body: [UInt8]

    private init(_ name: String, _ suffix: String, _ type: String, _ text: String) {
        (self.type, body) = (type, Array(text.utf8))
        path = "/assets/\(name)-\(Digest.hexadecimal(Digest.sha256(body).prefix(6))).\(suffix)"
    }

    static let style = Asset("console", "css", "text/css; charset=utf-8", StyleSheet.text)
    static let script = Asset("console", "js", "text/javascript; charset=utf-8", Script.text)
    static let icon = Asset(
        "icon", "svg", "image/svg+xml",
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 64 64" fill="none" stroke="#3a8fb0" stroke-width="5">\
        <path d="M30 42H8a4 4 0 0 1-4-4V14a4 4 0 0 1 4-4h36a4 4 0 0 1 4 4v1M4 18h24"/><rect x="34" y="21" width="18" height="29" rx="4"/></svg>
        """)
    static let all = [style, script, icon]

    var route: Route {
        Route(.get, path, nil, isQuick: true) { _ in
            var response = ServiceResponse(.ok, type, body)
            response.cacheControl = "public, max-age=31536000, immutable"
            return response
        }
    }
}
