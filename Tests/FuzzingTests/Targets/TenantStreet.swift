// Two tenants side by side and what serves them, looked at after each change: what must hold however one of them behaves.

import Catalogue
import Glibc
import HTTP

@testable import Hosting

/// One play: the folders, the control plane, and what the honest tenant was answered in the beginning.
final class TenantStreet {
    let scene: TenantScene
    private let tenants: Tenants
    private let watch: TreeWatch?
    private var honest: [[UInt8]?] = []
    private var later = TreeChanges()

    private static let honestPaths = [
        "/.well-known/apple-app-site-association", "/.well-known/security.txt", "/page.html",
        "/.well-known/privkey.pem",
    ]
    /// Some for each thing that can be made in a play.
    private static let findingsMax = 400
    private static let looksMax = 20
    private static let fileBytesMax = 4_096

    /// - Parameter watches: whether rounds look at what has had events, or at everything.
    init(watches: Bool) throws {
        scene = try TenantScene()
        let (config, pages) = ("\(scene.root)/config", "\(scene.root)/public")
        watch = watches ? try TreeWatch(configPath: config, publicPath: pages) : nil
        watch?.start()
        tenants = Tenants(configPath: config, publicPath: pages, environment: nil)
        _ = try tenants.round(.allAgain)
        honest = TenantStreet.honestPaths.map { body(of: TenantScene.honestHost, $0) }
        try demand(honest.map { $0 != nil } == [true, true, true, false], "the honest tenant is not served")
    }

    /// The hosts that are served, of all layers.
    var hosts: Set<String> {
        Set(tenants.catalogue.layers.flatMap(\.hosts)).filter { tenants.catalogue.tags(of: $0) != nil }
    }

    /// Rounds until nothing is left for later, and what must hold then.
    func look() throws {
        var changes = watch?.takeChanges() ?? .all
        for _ in 0..<TenantStreet.looksMax where !changes.isEmpty {
            let report = try tenants.round(changes)
            changes = report.later
            try demand(report.findings.count <= TenantStreet.findingsMax, "\(report.findings.count) findings")
        }
        for (path, bytes) in zip(TenantStreet.honestPaths, honest) {
            try demand(body(of: TenantScene.honestHost, path) == bytes, "the honest tenant's \(path) has changed")
        }
        let secret = Array(TenantScene.secret.utf8)
        for host in hosts {
            for tag in tenants.catalogue.tags(of: host) ?? [] {
                let body = body(of: host, tag.path) ?? []
                // The library's own search takes seconds for a large page.
                let isTold = body.indices.contains { body[$0] == secret[0] && body[$0...].starts(with: secret) }
                try demand(!isTold, "\(host)\(tag.path) gives a secret away")
            }
        }
    }

    func remove() { scene.remove() }

    private func body(of host: String, _ path: String) -> [UInt8]? {
        let (name, view) = (Array(host.utf8), tenants.catalogue.view)
        guard let site = view.site(host: name.span) else { return nil }
        let answer = Array(path.utf8).withUnsafeBytes { view.answer(site, path: $0) }
        guard let form = answer?.form(.identity) else { return nil }
        guard let file = form.file else { return Array(form.body) }
        var bytes = [UInt8](repeating: 0, count: TenantStreet.fileBytesMax)
        let count = pread(file, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }
}
