// A folder with one file of each kind that the commands read, and a server that serves it.

final class GoldenFolder {
    private let folder: Folder
    private let server: RunningServer
    private let ports: [String]
    var path: String { folder.path }

    static let app = """
        {
          name: "Shop",
          hosts: ["shop.acme.test", "*.acme.test"],
          ios: { appIDs: ["9JA89QQLNQ.org.acme.shop"], storeID: "640199958" },
          android: { package: "org.acme.shop", fingerprints: ["\(LintCommandTests.print)"], dynamicRules: true },
          scheme: "org.acme.shop",
          links: [
            { "/": "/a/private/*", exclude: true },
            { "/": "/a/*" },
          ],
        }

        """

    init() throws {
        folder = try Folder()
        try folder.certify("shop.acme.test")
        try folder.write("config/apps/shop.json", Self.app)
        try folder.write("other/apps/shop.json", Self.app.replacing("/a/*", with: "/b/*"))
        try folder.write("broken", LintCommandTests.broken)
        try folder.write(
            "aasa",
            """
            {"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "/a/*"}]}]},
             "webcredentials": {"apps": ["9JA89QQLNQ.org.acme.shop"]}}

            """)
        try folder.write(
            "assetlinks.json",
            """
            [{"relation": ["delegate_permission/common.handle_all_urls"],
              "target": {"namespace": "android_app", "package_name": "org.acme.shop",
                         "sha256_cert_fingerprints": ["\(LintCommandTests.print)"]}}]

            """)
        try folder.write(
            "phone",
            """
            --- App Link Resolution Debug ---

            URI: https://shop.acme.test/a/private/1
            Resolution: Ambiguous (Multiple apps or Browser fallback)

            Target:
              Package: org.acme.shop
              Activity: org.acme.shop.MainActivity

            App Link Verification:
              Verification status: STATE_SUCCESS
              Dynamic App Links:
                -> Matched Rule 1: UriRelativeFilterGroup { allow = 1, uri_filters = {}, }
                -> Matched Rule 3: UriRelativeFilterGroup { allow = 0, uri_filters = {}, }

            """)
        // As far as its place is concerned.
        try folder.write(
            "signer.pem", "-----BEGIN CERTIFICATE-----\nMBMwDAIBATAAMAVmaXJzdDAAAwEA\n-----END CERTIFICATE-----\n")
        try folder.write("urls", "https://shop.acme.test/a/1\nnothing\nhttps://shop.acme.test/b\n")
        server = try folder.serve("--https", "127.0.0.1:0")
        ports = [server.port, server.securePort]
        // The options to reach the server under the name of the host.
        try folder.write("live", server.reach("shop.acme.test", folder).joined(separator: " "))
        try folder.write("http", "127.0.0.1:\(server.port)")
    }

    /// Replaces everything that differs from run to run.
    func plain(_ text: String) -> String {
        var text = text.replacing(folder.path, with: "FOLDER")
        for port in ports { text = text.replacing("127.0.0.1:\(port)", with: "127.0.0.1:PORT") }
        return text.replacing(
            /associated \d+\.\d+\.\d+ \(OpenSSL [^)]*\)/, with: "associated VERSION (OpenSSL VERSION)"
        )
        .replacing(/expires on \d\d\d\d-\d\d-\d\d/, with: "expires on DATE")
        .replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "TIME")
        .replacing(/"certificateNotAfter": "[^"]*"/, with: "\"certificateNotAfter\": \"DATE\"")
        .replacing(/"milliseconds": \d+/, with: "\"milliseconds\": N")
        .replacing(/"associated \d+\.\d+\.\d+"/, with: "\"associated VERSION\"")
        .replacing(/"version": "\d+\.\d+\.\d+",\n( *)"rules"/, with: "\"version\": \"VERSION\",\n          \"rules\"")
        .replacing(/CN=associated development CA [0-9a-f]+/, with: "CN=associated development CA NUMBER")
    }
}
