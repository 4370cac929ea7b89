// What connects publishing with the server of this node: what it has made of the files of a tenant, over the link.

import Administration
import Console
import Posix
import Publishing

struct PublishedLink: PublishedSource {
    let server: SocketAddress

    private static let milliseconds = 5_000

    func files(of tenant: String) -> [ServedAppFile]? {
        let response = try? AdminClient.get(
            "/published/\(tenant)", from: server, token: nil, timeoutMilliseconds: PublishedLink.milliseconds)
        guard let response, response.status == 200, let apps = PublishedApps(json: response.body) else { return nil }
        let whole = apps.findings.map { ServedAppFile(name: "", digest: "", state: "broken", detail: $0) }
        return whole
            + apps.files.map { file in
                ServedAppFile(
                    name: String(file.path.dropFirst(tenant.utf8.count + 1)), digest: file.digest ?? "",
                    state: file.state.rawValue, detail: file.findings.joined(separator: "; "))
            }
    }
}

/// What the console asks the server.
struct ConsoleLink: ConsoleServer {
    let server: SocketAddress
    /// Of the app files, which the manager may read.
    let configPath: String
    let statePath: String

    var folders: (operator: String, published: String) {
        ("\(configPath)/apps/", "\(statePath)/published/apps/")
    }

    /// Somebody waits for the page.
    private static let milliseconds = 2_000

    func ask(_ path: String) -> (status: Int, body: [UInt8])? {
        let response = try? AdminClient.get(
            path, from: server, token: nil, timeoutMilliseconds: ConsoleLink.milliseconds)
        return response.map { ($0.status, $0.body) }
    }

    /// As the server reads it: a link of a tenant leads to no file outside its folder, such as the manager's key.
    func appFile(_ path: String) -> String? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }), !path.utf8.contains(0),
            path.hasSuffix(".json") || path.hasSuffix(".json5"), let apps = try? Folder("\(configPath)/apps")
        else { return nil }
        let contents: SettledContents?
        if parts.count == 1 {
            contents = try? apps.read(path, bytesMax: ConsoleLink.bytesMax)
        } else {
            let tenant = try? Folder(tenant: String(parts[0]), in: apps)
            contents = try? tenant?.read(parts.dropFirst().joined(separator: "/"), bytesMax: ConsoleLink.bytesMax)
        }
        return contents.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    private static let bytesMax = 1 << 20
}
