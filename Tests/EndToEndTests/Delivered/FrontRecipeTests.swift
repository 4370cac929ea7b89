// The recipes in deploy/fronts, with the ports, names and certificates of the test. Each needs its proxy (Debian's nginx, caddy
// or haproxy) and is skipped otherwise.

import Foundation
import Glibc
import Posix
import TestSupport
import Testing

@Suite struct FrontRecipeTests {
    private static let host = "shop.localhost"
    private static let recipes = Peers.root.appendingPathComponent("deploy/fronts")

    private static func isThere(_ program: String) -> Bool { path(of: program) != nil }

    private static func path(of program: String) -> String? {
        ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"].map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// A proxy in a process of its own, ended by its process id with the test.
    private final class Front {
        let plainPort: String
        let tlsPort: String
        private let process = Process()

        /// Starts a program with a recipe, or with its text after some replacements.
        init(
            _ program: String, _ recipe: String, text: String? = nil, in folder: Folder,
            replacing words: [(String, String)], arguments: (String) -> [String]
        ) throws {
            (plainPort, tlsPort) = (try FrontRecipeTests.freePort(), try FrontRecipeTests.freePort())
            var text =
                try text ?? String(contentsOf: FrontRecipeTests.recipes.appendingPathComponent(recipe), encoding: .utf8)
            for (word, replacement) in words {
                try #require(text.contains(word), "\(recipe) has \(word)")
                let replacement = replacement.replacing("PLAIN", with: plainPort).replacing("TLS", with: tlsPort)
                text = text.replacing(word, with: replacement)
            }
            try folder.write(recipe, text)
            process.executableURL = URL(fileURLWithPath: try #require(FrontRecipeTests.path(of: program)))
            process.arguments = arguments("\(folder.path)/\(recipe)")
            process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_DATA_HOME": folder.path]
            process.standardError = try folder.create("\(program).log")
            process.standardOutput = process.standardError
            try process.run()
            for port in [plainPort, tlsPort] {
                try #require(eventually { !process.isRunning || FrontRecipeTests.answers(port) })
            }
            try #require(process.isRunning, "\((try? folder.read("\(program).log")) ?? "")")
        }

        deinit {
            // Stops nginx and its workers at once; the others treat it like SIGTERM.
            process.terminate()
            process.waitUntilExit()
        }
    }

    private static func answers(_ port: String) -> Bool {
        guard let address = SocketAddress("127.0.0.1:\(port)") else { return false }
        return (try? ClientSocket(to: address, timeoutMilliseconds: 1_000)) != nil
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> String {
        let listener = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: false)
        return "\(listener.address.port)"
    }

    /// The demonstration with a certificate for its host, so that pages over plain HTTP would be redirected.
    private func serve(in folder: Folder, _ more: [String]) throws -> RunningServer {
        try folder.copyFromProject("config", "public")
        let certificate = try Subject.run([
            "certificate", "--state", "\(folder.path)/authority", "--output", "\(folder.path)/config/hosts",
            FrontRecipeTests.host,
        ])
        try #require(certificate.status == 0, "\(certificate.errors)")
        return try RunningServer(
            ["--config", "\(folder.path)/config", "--public", "\(folder.path)/public"]
                + ["--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--trust", "127.0.0.1"] + more)
    }

    private func port(_ server: RunningServer, _ scheme: String) -> String {
        server.addresses.first { $0.hasPrefix("\(scheme)://") }?.split(separator: ":").last.map(String.init) ?? "0"
    }

    /// What every recipe must preserve: the documents unchanged, with their type, for the requested host, and no redirect of a
    /// request that came over TLS.
    private func check(_ front: Front, redirectsPlainPages: Bool) throws {
        func ask(_ scheme: String, _ path: String, host: String = FrontRecipeTests.host) throws -> String {
            let port = scheme == "https" ? front.tlsPort : front.plainPort
            return try Subject.curl([
                "--insecure", "--resolve", "\(host):\(port):127.0.0.1", "--output", "/dev/null", "--write-out",
                "%{http_code} %{content_type} %{redirect_url}", "\(scheme)://\(host):\(port)\(path)",
            ]).output
        }
        for scheme in ["http", "https"] {
            for name in ["apple-app-site-association", "assetlinks.json"] {
                #expect(try ask(scheme, "/.well-known/\(name)") == "200 application/json ")
            }
            #expect(try ask(scheme, "/.well-known/nothing") == "404  ")
        }
        #expect(try ask("https", "/").hasPrefix("200 text/html"))
        // Redirected as soon as the certificate of the host is loaded.
        #expect(try eventually { try ask("http", "/").hasPrefix(redirectsPlainPages ? "308 " : "200 text/html") })
    }

    /// The beginning of a test's nginx configuration: in the foreground, with its files in the test's folder.
    private static func nginxMain(_ folder: Folder) -> String {
        "daemon off; worker_processes 1; pid \(folder.path)/nginx.pid; error_log stderr; events {}"
    }

    private static func nginxPlaces(_ folder: Folder) -> String {
        let names = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        let places = names.map { "\($0)_temp_path \(folder.path)/\($0);" }
        return "access_log off; " + places.joined(separator: " ")
    }

    @Test(.enabled(if: isThere("nginx"), "nginx is installed"), .needs(.ordinaryUser))
    func `nginx keeps hosts, types and statuses`() throws {
        let folder = try Folder()
        let server = try serve(in: folder, [])
        let hosts = "\(folder.path)/config/hosts/\(FrontRecipeTests.host)"
        try folder.write(
            "main.conf",
            """
            \(FrontRecipeTests.nginxMain(folder))
            http {
                \(FrontRecipeTests.nginxPlaces(folder))
                include \(folder.path)/nginx.conf;
            }
            """)
        let front = try Front(
            "nginx", "nginx.conf", in: folder,
            replacing: [
                ("127.0.0.1:8080", "127.0.0.1:\(port(server, "http"))"), ("listen 80", "listen 127.0.0.1:PLAIN"),
                ("listen 443", "listen 127.0.0.1:TLS"), ("server_name shop.example.com", "server_name shop.localhost"),
                ("/etc/letsencrypt/live/shop.example.com", hosts),
            ]
        ) { _ in ["-p", folder.path, "-c", "\(folder.path)/main.conf"] }
        try check(front, redirectsPlainPages: true)
    }

    @Test(.enabled(if: isThere("caddy"), "Caddy is installed"))
    func `Caddy keeps hosts, types and statuses`() throws {
        let folder = try Folder()
        let server = try serve(in: folder, [])
        let front = try Front(
            "caddy", "Caddyfile", in: folder,
            replacing: [
                ("127.0.0.1:8080", "127.0.0.1:\(port(server, "http"))"),
                (
                    "auto_https disable_redirects",
                    "auto_https disable_redirects\nadmin off\nhttp_port PLAIN\nhttps_port TLS\nlocal_certs\nskip_install_trust"
                ),
                (
                    "http://shop.example.com, https://shop.example.com {",
                    "http://shop.localhost:PLAIN, https://shop.localhost:TLS {\nbind 127.0.0.1"
                ),
            ]
        ) { ["run", "--adapter", "caddyfile", "--config", $0] }
        try check(front, redirectsPlainPages: true)
    }

    @Test(.enabled(if: isThere("haproxy"), "HAProxy is installed"))
    func `HAProxy passes TLS on, with both versions of the PROXY protocol`() throws {
        let folder = try Folder()
        let server = try serve(in: folder, ["--proxy-protocol"])
        let front = try Front(
            "haproxy", "haproxy.cfg", in: folder,
            replacing: [
                ("127.0.0.1:8080", "127.0.0.1:\(port(server, "http"))"),
                ("127.0.0.1:8443", "127.0.0.1:\(port(server, "https"))"), ("bind :80", "bind 127.0.0.1:PLAIN"),
                ("bind :443", "bind 127.0.0.1:TLS"),
            ]
        ) { ["-db", "-f", $0] }
        try check(front, redirectsPlainPages: true)
        // Without the PROXY header, connections are closed.
        let url = "http://127.0.0.1:\(port(server, "http"))/.well-known/assetlinks.json"
        #expect(try Subject.curl(["--header", "Host: \(FrontRecipeTests.host)", url]).output.isEmpty)
    }

    /// What the nginx ingress controller makes of deploy/kubernetes/overlays/ingress, as far as requests are concerned: both ports in
    /// one server without a redirect, because of the annotations, and its own fields for the client instead of the client's. The
    /// controller picks pods in Lua; here there is one upstream.
    private static func ingress(_ folder: Folder, behindLoadBalancer: Bool) -> String {
        """
        \(nginxMain(folder))
        http {
            \(nginxPlaces(folder))
            \(behindLoadBalancer ? "real_ip_header proxy_protocol; set_real_ip_from 0.0.0.0/0;" : "")
            upstream upstream_balancer { server UPSTREAM; keepalive 320; }
            server {
                server_name \(host);
                listen 127.0.0.1:PLAIN\(behindLoadBalancer ? " proxy_protocol" : "");
                listen 127.0.0.1:TLS\(behindLoadBalancer ? " proxy_protocol" : "") ssl http2;
                ssl_certificate CERTIFICATES/fullchain.pem;
                ssl_certificate_key CERTIFICATES/privkey.pem;
                location / {
                    proxy_set_header Host $http_host;
                    proxy_set_header X-Request-ID $request_id;
                    proxy_set_header X-Real-IP $remote_addr;
                    proxy_set_header X-Forwarded-For $remote_addr;
                    proxy_set_header X-Forwarded-Host $http_host;
                    proxy_set_header X-Forwarded-Port $server_port;
                    proxy_set_header X-Forwarded-Proto $scheme;
                    proxy_set_header X-Forwarded-Scheme $scheme;
                    proxy_set_header X-Scheme $scheme;
                    proxy_set_header X-Original-Forwarded-For $http_x_forwarded_for;
                    proxy_set_header Proxy "";
                    proxy_set_header Connection "";
                    proxy_http_version 1.1;
                    proxy_buffering off;
                    proxy_request_buffering on;
                    proxy_next_upstream error timeout;
                    proxy_redirect off;
                    proxy_pass http://upstream_balancer;
                }
            }
        }
        """
    }

    @Test(.enabled(if: isThere("nginx"), "nginx is installed"), .needs(.ordinaryUser), arguments: [false, true])
    func `the configuration of an ingress controller keeps hosts, types, statuses and clients`(
        behindLoadBalancer: Bool
    ) throws {
        let folder = try Folder()
        let log = "\(folder.path)/access.log"
        let server = try serve(in: folder, ["--access-log", log])
        let front = try Front(
            "nginx", "ingress.conf", text: FrontRecipeTests.ingress(folder, behindLoadBalancer: behindLoadBalancer),
            in: folder,
            replacing: [
                ("UPSTREAM", "127.0.0.1:\(port(server, "http"))"), ("listen 127.0.0.1:PLAIN", "listen 127.0.0.1:PLAIN"),
                ("CERTIFICATES", "\(folder.path)/config/hosts/\(FrontRecipeTests.host)"),
                ("listen 127.0.0.1:TLS", "listen 127.0.0.1:TLS"),
            ]
        ) { ["-p", folder.path, "-c", $0] }
        if !behindLoadBalancer { try check(front, redirectsPlainPages: true) }
        // A client that sends forged headers, on a connection that the load balancer says comes from 192.0.2.7.
        let address = try #require(SocketAddress("127.0.0.1:\(front.plainPort)"))
        let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        let header = behindLoadBalancer ? "PROXY TCP4 192.0.2.7 192.0.2.1 258 80\r\n" : ""
        let lines = "Host: \(FrontRecipeTests.host)\r\nX-Forwarded-For: 203.0.113.9\r\nUser-Agent: last\r\n"
        try client.send(
            Array("\(header)GET /.well-known/assetlinks.json HTTP/1.1\r\n\(lines)Connection: close\r\n\r\n".utf8))
        var answer: [UInt8] = []
        while case let more = try client.receive(), !more.isEmpty { answer += more }
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"))
        server.stop()
        let last = try #require(try folder.read("access.log").split(separator: "\n").last)
        #expect(last.contains("\"userAgent\":\"last\""))
        #expect(last.contains("\"remote\":\"\(behindLoadBalancer ? "192.0.2.7" : "127.0.0.1")\""))
    }
}
