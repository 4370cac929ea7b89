// What connects publishing with the server of this node: what it has made of the files of a tenant, over the link.

import Administration
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
