// `associated render`: the documents of a host, byte for byte as `serve` sends them without compression.

import Association
import Catalogue
import HTTP
import Hosting

extension Command {
    static let render = Command(
        name: "render", summary: "print what is served for a host, byte for byte",
        details: """
            Prints the document of HOST for apple or android as it is served, files in config/hosts/ that stand in its place
            and signatures included; without a platform both, one after the other. Findings go to standard error.
            """,
        operands: Operands(usage: "HOST [apple|android]", counts: 1...2),
        options: [.config, .publicFolder, .environment]
    ) { arguments in
        let host = arguments.operands[0]
        let platforms = ["apple", "android"]
        let platform = arguments.operands.count > 1 ? arguments.operands[1] : nil
        if let platform, !platforms.contains(platform) {
            return .usage(saying: "there is no document for \"\(platform)\"; name apple or android")
        }
        let path = arguments["--config"] ?? "config"
        let environment = arguments["--environment"] ?? SettingsReader(file: "\(path)/server.json").settings.environment
        let loaded: LoadedConfiguration
        do {
            loaded = try ConfigurationLoader(
                configPath: path, publicPath: arguments["--public"] ?? "public", environment: environment
            ).load()
        } catch {
            return .failure(saying: "\(error)")
        }
        guard let documents = documents(of: host, in: loaded.catalogue) else {
            for finding in loaded.findings where finding.severity == .error { Console.error(finding) }
            return .failure(saying: "\(host) is not served from \(path)")
        }
        let wanted = platform.map { [$0] } ?? platforms
        for name in wanted {
            if let bytes = documents[name] { Console.output(bytes) }
        }
        guard wanted.contains(where: { documents[$0] != nil }) else {
            return .failure(saying: "\(host) has no document for \(wanted.joined(separator: " or "))")
        }
        return .success
    }

    /// The bodies by platform; nil when the host is not served at all.
    private static func documents(of host: String, in catalogue: Catalogue) -> [String: [UInt8]]? {
        let view = catalogue.view
        let name = Array((host.hasSuffix(".") ? String(host.dropLast()) : host).utf8)
        guard let site = view.site(host: name.span) else { return nil }
        var documents: [String: [UInt8]] = [:]
        for (platform, path) in [
            ("apple", "/.well-known/apple-app-site-association"), ("android", "/.well-known/assetlinks.json"),
        ] {
            let path = Array(path.utf8)
            guard let answer = path.withUnsafeBytes({ view.answer(site, path: $0) }), answer.status == .ok else {
                continue
            }
            let form = answer.form(.identity)
            guard form.file == nil else { continue }
            documents[platform] = Array(form.body)
        }
        return withExtendedLifetime(catalogue) { documents }
    }
}
