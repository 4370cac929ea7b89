// The handlers of `associated snippet` must turn the landing page's link into the same route as the page. TypeScript runs in
// Node, Swift is compiled and run; for Kotlin and Dart, whose tools few machines have, the test reads the deciding lines.

import Foundation
import Testing

struct LinkRouteTests {
    /// A link and the route that every handler must return; nil if the link does not belong to the app.
    static let routes: [(link: String, route: String?)] = [
        ("https://shop.acme.test/a/1?x=1", "/a/1?x=1"), ("org.acme.shop://a/1?x=1", "/a/1?x=1"),
        ("org.acme.shop:///a/1", "/a/1"), ("org.acme.shop://shop.acme.test/a/1", "/a/1"),
        ("org.acme.shop://x.Shop.acme.test/a/1", "/a/1"), ("https://x.SHOP.acme.test", "/"),
        ("https://shop.acme.test//companies/1", "/companies/1"), ("org.acme.shop:////a", "/a"),
        ("https://other.test/a", nil), ("https://acme.test/a", nil), ("mailto:a@b", nil),
        ("org.acme.shop://callback#access_token=t%20t&state=s", "/callback?access_token=t%20t&state=s"),
        ("https://shop.acme.test/a?x=1#code=2", "/a?x=1&code=2"), ("https://shop.acme.test/a#top", "/a#top"),
        ("https://shop.acme.test/#/companies/1?x=1", "/#/companies/1?x=1"),
        ("https://shop.acme.test/a#:~:text=a=b", "/a#:~:text=a=b"), ("https://shop.acme.test/a#!/b=1", "/a#!/b=1"),
    ]

    private static let node = ["/usr/bin/node", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// The links into the app on a landing page for a path: its button, its tags and `{{appLink}}`.
    private func pageLinks(_ target: String) throws -> [String] {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", SnippetCommandTests.app)
        try folder.write(
            "public/_wildcard.shop.acme.test/_landing.html", "<a class=\"main\" href=\"{{appLink}}\">x</a>")
        let server = try folder.serve()
        let pages = try ["shop.acme.test", "x.shop.acme.test"].map { host in
            try Subject.curl([
                "--resolve", "\(host):\(server.port):127.0.0.1", "http://\(host):\(server.port)\(target)",
            ]).output
        }
        let links =
            #/class="(?:main|quiet)" href="(org\.acme\.shop:[^"]+)"|"al:(?:ios|android):url" content="([^"]+)"/#
        return pages.joined().matches(of: links)
            .map { String($0.output.1 ?? $0.output.2 ?? "").replacing("&amp;", with: "&") }
    }

    @Test func `the landing page has one link into the app, with the route of the link`() throws {
        let links = try pageLinks("/a/1?x=1&y=2")
        #expect(links == Array(repeating: "org.acme.shop:///a/1?x=1&y=2", count: 4))
    }

    /// TypeScript without types, for the syntax in the generated files.
    private func javaScript(_ text: String) -> String {
        let types = [
            (#": \{ path: string; initial: boolean \}"#, ""), (#": Promise<[^>]*>"#, ""),
            (#"\(listener: \(url: string\) => void\): \(\) => void"#, "(listener)"), (#": \{ url: string \}"#, ""),
            (#": (string \| null|string\[\]|string|boolean|void)(?=[ ,;)])"#, ""),
        ]
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
        return types.reduce(lines.replacing("export ", with: "")) { text, type in
            text.replacingOccurrences(of: type.0, with: type.1, options: .regularExpression)
        }
    }

    /// Each JavaScript handler, with the code that passes `link` and the code that prints the result.
    private static let handlers: [(kind: String, file: String, before: String, after: String)] = [
        (
            "capacitor", "src/deep-links.ts",
            """
            let pushed, listener;
            const App = { addListener: async (name, listens) => { listener = listens; } };
            const window = { history: { pushState: (a, b, route) => pushed.push(route) }, dispatchEvent: () => {} };
            class PopStateEvent {}
            """,
            """
            const follow = async link => {
              pushed = [];
              await followDeepLinks();
              listener({ url: link });
              if (pushed.length > 1) throw new Error("followed twice");
              return pushed[0] ?? null;
            };
            """
        ),
        (
            "expo", "app/+native-intent.ts", "",
            """
            const follow = async link => {
              const path = redirectSystemPath({ path: link, initial: true });
              return path === link ? null : path;
            };
            """
        ),
        (
            "react-native", "src/linking.ts",
            """
            let first, listener;
            const Linking = {
              getInitialURL: async () => first,
              addEventListener: (name, listens) => { listener = listens; return { remove: () => {} }; },
            };
            """,
            """
            const follow = async link => {
              first = link;
              const initial = await linking.getInitialURL();
              let later = null;
              linking.subscribe(url => { later = url; });
              listener({ url: link });
              if (initial !== later) throw new Error("cold and warm differ");
              return later === null ? null : later.replace(linking.prefixes[0], "");
            };
            """
        ),
    ]

    @Test(.enabled(if: node != nil, "there is no Node here"), arguments: handlers.indices)
    func `TypeScript handlers open the landing page's link`(index: Int) throws {
        let handler = Self.handlers[index]
        let text = try #require(try SnippetCommandTests.files(handler.kind)[handler.file])
        let folder = try Folder()
        try folder.write(
            "run.js",
            """
            \(handler.before)
            \(javaScript(text))
            \(handler.after)
            (async () => { for (const link of process.argv.slice(2)) console.log(await follow(link)); })()
              .catch(error => { console.error(error); process.exit(1); });
            """)
        let page = try #require(try pageLinks("/a/1?x=1&y=2").first)
        let run = try Subject.run(
            URL(fileURLWithPath: try #require(Self.node)), ["\(folder.path)/run.js", page] + Self.routes.map(\.link))
        #expect(run.errors.isEmpty, "\(run.errors)")
        let routes = run.output.split(separator: "\n").map(String.init)
        #expect(routes == ["/a/1?x=1&y=2"] + Self.routes.map { $0.route ?? "null" })
    }

    @Test func `the Swift handler opens the landing page's link`() throws {
        let folder = try Folder()
        try folder.write("DeepLink.swift", try #require(try SnippetCommandTests.files("ios")["DeepLink.swift"]))
        try folder.write(
            "main.swift",
            """
            import Foundation
            for text in CommandLine.arguments.dropFirst() {
                guard let link = URL(string: text).flatMap({ DeepLink($0) }) else { print("null"); continue }
                var components = URLComponents()
                components.path = link.path
                if !link.queryItems.isEmpty { components.queryItems = link.queryItems }
                components.fragment = link.fragment
                print(components.string ?? "")
            }
            """)
        let built = try SnippetCommandTests.swiftc(folder, ["DeepLink.swift", "main.swift", "-o", "links"])
        try #require(built.status == 0, "\(built.errors)")
        let page = try #require(try pageLinks("/a/1?x=1&y=2").first)
        let run = try Subject.run(URL(fileURLWithPath: "\(folder.path)/links"), [page] + Self.routes.map(\.link))
        let routes = run.output.split(separator: "\n").map(String.init)
        #expect(routes == ["/a/1?x=1&y=2"] + Self.routes.map { $0.route ?? "null" })
    }

    /// The tests above run the other handlers; in these two, the test finds the same three conditions in the text.
    @Test(arguments: [
        (
            "android", "DeepLink.kt", "scheme: String? = \"org.acme.shop\"", "setOf<String>(\"shop.acme.test\")",
            "if (host.isEmpty() || isOwn(host)) uri.path.orEmpty() else host + uri.path.orEmpty()",
            "DeepLink(\"/\" + path.trimStart('/')"
        ),
        (
            "flutter", "lib/deep_link.dart", "_scheme = \"org.acme.shop\"", "_hosts = <String>{\"shop.acme.test\"}",
            "uri.host.isEmpty || _isOwn(uri.host) ? uri.path : '${uri.host}${uri.path}'",
            "'/${path.replaceFirst(RegExp(r'^/+'), '')}"
        ),
    ])
    func `Kotlin and Dart handlers have the same conditions`(
        kind: String, file: String, scheme: String, hosts: String, route: String, slashes: String
    ) throws {
        let text = try #require(try SnippetCommandTests.files(kind)[file])
        for part in [scheme, hosts, route, slashes, "^[A-Za-z0-9_.%~-]+="] { #expect(text.contains(part), "\(part)") }
    }
}
