// The association files of live hosts, for whoever wants to know what they say and not whether they are served well: one
// request each, as a verifier makes it, within its time. It is taken as a verifier would take it, or not at all.

import Posix
public import TLS

/// Fetches association files.
public struct PublishedFiles: Sendable {
    private let fetcher: Fetcher
    private let addresses: HostAddresses
    private let limits: FetchLimits

    /// What Chromium's loader follows before it gives up.
    private static let redirectsMax = 20

    public init(_ context: ClientContext, overrides: [AddressOverride], limits: FetchLimits = FetchLimits()) {
        fetcher = Fetcher(context)
        addresses = HostAddresses(overrides: overrides)
        self.limits = limits
    }

    /// The file of a host under a path; anything but 200 is a failure.
    public func fetch(_ path: String, of host: CheckedHost) -> Result<[UInt8], FetchError> {
        ask(host, path, .unknown, limits).flatMap { response in
            // No verifier takes a file from a host that it does not trust.
            if let problem = response.peer?.distrust { return .failure(.failed(problem)) }
            guard response.status == 200 else { return .failure(.failed("it answers \(response.status)")) }
            guard !response.isCut else { return .failure(.failed("the file is larger than any verifier reads")) }
            guard let body = response.plainBody else { return .failure(.failed(PublishedFiles.wrongCoding)) }
            return .success(body)
        }
    }

    /// The file that a consumer reads, as far as it takes one from the host.
    public func fetch(for consumer: FileConsumer, of host: CheckedHost) -> Result<[UInt8], RefusedFile> {
        do throws(RefusedFile) { return .success(try file(for: consumer, of: host)) } catch { return .failure(error) }
    }

    private func file(for consumer: FileConsumer, of host: CheckedHost) throws(RefusedFile) -> [UInt8] {
        let stopwatch = Stopwatch(limits.milliseconds)
        var place = WebLocation(secure: host, path: consumer.document.path)
        for _ in 0...PublishedFiles.redirectsMax {
            var limits = limits
            limits.milliseconds = stopwatch.left
            guard limits.milliseconds > 0 else {
                throw RefusedFile("the redirects do not end in time", .time, for: consumer)
            }
            let response: FetchedResponse
            switch ask(place.host, place.path, consumer.agent, limits) {
            case .success(let answer): response = answer
            case .failure(let error): throw RefusedFile("\(error)", error.kind, for: consumer)
            }
            if let problem = response.peer?.distrust { throw RefusedFile(problem, .trust, for: consumer) }
            guard response.isRedirect else { return try body(of: response, for: consumer) }
            let target = AppleFailure.text(response["location"] ?? "nowhere")
            let step = "it answers \(response.status), a redirect to \(target)"
            guard consumer.followsRedirects else {
                throw RefusedFile("\(step), and is not followed", .redirect, for: consumer)
            }
            guard let next = place.following(response["location"]), next.isSecure else {
                throw RefusedFile("\(step), and only https addresses are followed", .redirect, for: consumer)
            }
            place = next
        }
        let count = PublishedFiles.redirectsMax
        throw RefusedFile("it sends from one address to the next more than \(count) times", .redirect, for: consumer)
    }

    private static let wrongCoding =
        "the body is not in the coding that content-encoding names, or too large without it"

    private func body(of response: FetchedResponse, for consumer: FileConsumer) throws(RefusedFile) -> [UInt8] {
        guard response.status == 200 else {
            throw RefusedFile("it answers \(response.status)", .status, for: consumer)
        }
        guard !response.isCut else {
            throw RefusedFile("the file has more than \(response.body.count) bytes", .size, for: consumer)
        }
        let type = response.mediaType ?? "missing"
        if consumer.needsJSONType, type != "application/json" {
            throw RefusedFile("content-type is \(AppleFailure.text(type))", .type, for: consumer)
        }
        guard let body = response.plainBody else {
            throw RefusedFile(PublishedFiles.wrongCoding, .malformed, for: consumer)
        }
        return body
    }

    private func ask(
        _ host: CheckedHost, _ path: String, _ agent: Probe.Agent, _ limits: FetchLimits
    ) -> Result<FetchedResponse, FetchError> {
        do throws(NameLookupError) {
            guard let address = try addresses.of(host).first else { return .failure(.failed("it has no address")) }
            return fetcher.fetch(
                FetchRequest(
                    host: host.name, hostField: host.description, address: address, path: path,
                    userAgent: agent.userAgent, limits: limits))
        } catch {
            return .failure(.failed(error.description))
        }
    }
}

extension PeerFacts {
    /// Why no verifier would take anything from the server; nil where nothing speaks against it.
    var distrust: String? {
        isOutdated ? "the server speaks \(version), which current clients refuse" : problem?.message
    }
}

extension FetchError {
    fileprivate var kind: RefusedFile.Kind {
        if isTimeOut { return .time }
        if case .malformed = self { return .malformed }
        return .unreachable
    }
}
