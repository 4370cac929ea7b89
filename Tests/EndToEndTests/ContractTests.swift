// Each row of the table "What a host answers" is a case, asked with curl over plain HTTP and over TLS.

import Testing

struct ContractTests {
    /// The program with one app on each kind of host, and with certificates.
    private final class Site {
        private let folder: Folder
        let server: RunningServer
        let ports: [String: String]

        init(settings: String) throws {
            folder = try Folder()
            try folder.write("config/server.json", settings)
            let ios = "ios: { appIDs: [\"8KQ2V7M4XN.dev.associated.both\"], storeID: \"640199958\" }"
            let android = "android: { package: \"dev.associated.both\", fingerprints: [\"\(Self.fingerprint)\"] }"
            let links = "links: [{ \"/\": \"/links/not/*\", exclude: true }, { \"/\": \"/links/?*\" }]"
            try folder.write(
                "config/apps/both.json",
                "{ name: \"Both\", hosts: [\"both.example\", \"bare.example\"], \(ios), \(android), \(links) }")
            try folder.write("config/apps/ios.json", "{ name: \"One\", hosts: [\"ios.example\"], \(ios), \(links) }")
            try folder.write(
                "config/apps/android.json", "{ name: \"Two\", hosts: [\"android.example\"], \(android), \(links) }")
            try folder.write(
                "config/apps/spa.json", "{ name: \"Three\", hosts: [\"spa.example\"], \(ios), pages: { spa: true } }")
            let wellKnown = "config/hosts/both.example/well-known"
            try folder.write("\(wellKnown)/security.txt", "Contact: mailto:security@example.com\n")
            try folder.write("\(wellKnown)/acme-challenge/token-of-an-order", "token-of-an-order.thumbprint")
            let filling = String(repeating: " and so on", count: 100)
            try folder.write("public/both.example/page.html", "<p>own page\(filling)")
            try folder.write("public/both.example/links/file", "file, not landing")
            try folder.write("public/_default/page.html", "<p>page of all hosts")
            try folder.write("public/_default/shared.txt", "shared")
            try folder.write("public/spa.example/index.html", "<p>spa")
            try folder.certify("both.example", "ios.example", "android.example", "spa.example")
            server = try folder.serve("--https", "127.0.0.1:0")
            let addresses = server.addresses.map { $0.split(separator: ":").map(String.init) }
            ports = Dictionary(uniqueKeysWithValues: addresses.map { ($0[0], $0[2]) })
        }

        private static let fingerprint = (0..<32).map { _ in "AB" }.joined(separator: ":")

        func ask(_ scheme: String, _ url: String, _ options: [String]) throws -> Run {
            let host = String(url.prefix { $0 != "/" })
            let port = try #require(ports[scheme])
            return try Subject.curl(
                [
                    "--include", "--show-error", "--path-as-is", "--cacert", "\(folder.path)/state/development-ca.pem",
                    "--resolve", "\(host):\(port):127.0.0.1",
                ] + options + ["\(scheme)://\(host):\(port)\(url.dropFirst(host.count))"])
        }

        func check(_ row: Contract.Row) throws {
            for item in row.cases {
                for scheme in item.schemes {
                    let method = item.method == "HEAD" ? ["--head"] : ["--request", item.method]
                    let run = try ask(scheme, item.url, method + item.options)
                    let place: Comment = "\(item.method) \(scheme)://\(item.url) \(item.options)"
                    let parts = run.output.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
                    let head = parts[0].lowercased() + "\r\n"
                    #expect(head.hasPrefix("http/1.1 \(item.status) "), place)
                    for field in item.fields {
                        let field = field.replacing("PORT", with: ports["https"] ?? "").lowercased()
                        #expect(head.contains("\r\n\(field)"), place)
                    }
                    for field in item.missing { #expect(!head.contains("\r\n\(field):"), place) }
                    guard let body = item.body, parts.count == 2 else { continue }
                    #expect(body.isEmpty ? parts[1].isEmpty : parts[1].contains(body), place)
                }
            }
        }
    }

    @Test(arguments: [Contract.documents, Contract.pages, Contract.rules])
    func `a host answers as the table says`(rows: [Contract.Row]) throws {
        let site = try Site(settings: "{ tls: { redirectPages: false } }")
        for row in rows { try site.check(row) }
    }

    @Test func `pages are redirected to https, and files of verifiers are not`() throws {
        let site = try Site(settings: "{}")
        // The first handshake loads the certificate of the host.
        _ = try site.ask("https", "both.example/page.html", [])
        for row in Contract.redirects { try site.check(row) }
    }

    @Test func `an unknown host over TLS gets the alert unrecognized_name`() throws {
        let site = try Site(settings: "{}")
        let run = try site.ask("https", "other.example/", [])
        #expect(run.status == 35)
        #expect(run.errors.contains("unrecognized name"))
    }
}
