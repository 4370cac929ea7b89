// The association files of live hosts, for whoever wants to know what they say and not whether they are served well: one
// request each, as a verifier makes it, within its time and without following anything.

import Posix
public import TLS

/// Fetches association files.
public struct PublishedFiles: Sendable {
    private let fetcher: Fetcher
    private let overrides: [AddressOverride]

    public init(_ context: ClientContext, overrides: [AddressOverride]) {
        fetcher = Fetcher(context)
        self.overrides = overrides
    }

    /// The file of a host under a path; anything but 200 is a failure.
    public func fetch(_ path: String, of host: CheckedHost) -> Result<[UInt8], FetchError> {
        let given = overrides.first { $0.host == host.name && $0.port == host.port }?.address
        let address: SocketAddress
        do throws(NameLookupError) {
            var found: [SocketAddress] = []
            if let given { found = [given] } else { found = try NameLookup.addresses(of: host.name, port: host.port) }
            guard let first = found.first(where: { !$0.isIPv6 }) ?? found.first else {
                return .failure(.failed("it has no address"))
            }
            address = first
        } catch {
            return .failure(.failed(error.description))
        }
        let request = FetchRequest(
            host: host.name, address: address, path: path, userAgent: Probe.Agent.unknown.rawValue)
        return fetcher.fetch(request).flatMap { response in
            guard response.status == 200 else { return .failure(.failed("it answers \(response.status)")) }
            guard !response.isCut else { return .failure(.failed("the file is larger than any verifier reads")) }
            return .success(response.body)
        }
    }
}
