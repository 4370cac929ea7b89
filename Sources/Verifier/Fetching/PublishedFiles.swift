// The association files of live hosts, for whoever wants to know what they say and not whether they are served well: one
// request each, as a verifier makes it, within its time and without following anything.

import Posix
public import TLS

/// Fetches association files.
public struct PublishedFiles: Sendable {
    private let fetcher: Fetcher
    private let addresses: HostAddresses

    public init(_ context: ClientContext, overrides: [AddressOverride]) {
        fetcher = Fetcher(context)
        addresses = HostAddresses(overrides: overrides)
    }

    /// The file of a host under a path; anything but 200 is a failure.
    public func fetch(_ path: String, of host: CheckedHost) -> Result<[UInt8], FetchError> {
        let address: SocketAddress
        do throws(NameLookupError) {
            guard let first = try addresses.of(host).first else { return .failure(.failed("it has no address")) }
            address = first
        } catch {
            return .failure(.failed(error.description))
        }
        let request = FetchRequest(
            host: host.name, address: address, path: path, userAgent: Probe.Agent.unknown.rawValue)
        return fetcher.fetch(request).flatMap { response in
            // No verifier takes a file from a host that it does not trust.
            if let problem = response.peer?.problem { return .failure(.failed(problem.message)) }
            guard response.status == 200 else { return .failure(.failed("it answers \(response.status)")) }
            guard !response.isCut else { return .failure(.failed("the file is larger than any verifier reads")) }
            return .success(response.body)
        }
    }
}
