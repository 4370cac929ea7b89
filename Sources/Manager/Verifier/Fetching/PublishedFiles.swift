// Fetches the association files of live hosts, for commands that need their content: one request for each consumer (Apple,
// Google, AOSP, Chromium), in its own way and within its time limit. Consumers have different user agents, accept different
// answers, and have their own codes for failures.

public import Client
import Posix
public import TLS

/// Fetches association files.
public struct PublishedFiles: Sendable {
    private let fetcher: Fetcher
    private let addresses: HostAddresses
    private let proxy: ProxySettings?
    private let limits: FetchLimits

    /// The limit of Chromium's loader.
    private static let redirectsMax = 20

    /// - Parameter proxy: for hosts without an override.
    public init(
        _ context: ClientContext, overrides: [AddressOverride], proxy: ProxySettings? = nil,
        limits: FetchLimits = FetchLimits()
    ) {
        fetcher = Fetcher(context)
        self.proxy = proxy
        addresses = HostAddresses(overrides: overrides)
        self.limits = limits
    }

    /// The file of a host at a path; any status except 200 is a failure.
    public func fetch(_ path: String, of host: CheckedHost) -> Result<[UInt8], FetchError> {
        ask(host, path, .unknown, limits).flatMap { response in
            // No verifier accepts a file from a host whose certificate it does not trust.
            if let problem = response.peer?.distrust { return .failure(.failed(problem)) }
            guard response.status == 200 else { return .failure(.failed("it answers \(response.status)")) }
            guard !response.isTruncated else {
                return .failure(.failed("the file is larger than any verifier accepts"))
            }
            guard let body = response.plainBody else { return .failure(.failed(PublishedFiles.wrongCoding)) }
            return .success(body)
        }
    }

    /// The file that a consumer gets from the host, or why it gets none.
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
                throw RefusedFile("following the redirects takes too long", .time, for: consumer)
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
                throw RefusedFile("\(step), which is not followed", .redirect, for: consumer)
            }
            guard let next = place.following(response["location"]), next.isSecure else {
                throw RefusedFile("\(step), and only redirects to https are followed", .redirect, for: consumer)
            }
            place = next
        }
        let count = PublishedFiles.redirectsMax
        throw RefusedFile("there are more than \(count) redirects", .redirect, for: consumer)
    }

    private static let wrongCoding = "the body does not match its content-encoding, or is too large after decoding"

    private func body(of response: FetchedResponse, for consumer: FileConsumer) throws(RefusedFile) -> [UInt8] {
        guard response.status == 200 else {
            throw RefusedFile("it answers \(response.status)", .status, for: consumer)
        }
        guard !response.isTruncated else {
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
            let tunnel = addresses.given(host.name, host.port).isEmpty ? proxy?.tunnel(to: host) : nil
            let found =
                if tunnel != nil, let proxy { try addresses.ofService(proxy.proxy) } else { try addresses.of(host) }
            guard let address = found.first else { return .failure(.failed("it has no address")) }
            var request = FetchRequest(
                host: host.name, hostField: host.description, address: address, path: path,
                userAgent: agent.userAgent, limits: limits)
            request.tunnel = tunnel
            return fetcher.fetch(request)
        } catch {
            return .failure(.failed(error.description))
        }
    }
}

extension FetchError {
    fileprivate var kind: RefusedFile.Kind {
        if isTimeOut { return .time }
        if case .malformed = self { return .malformed }
        return .unreachable
    }
}

/// A system that fetches and reads association files.
public enum FileConsumer: String, CaseIterable, Hashable, Sendable {
    /// Apple's CDN, which fetches for the devices.
    case apple
    /// Google's Digital Asset Links service.
    case google
    /// The verifier of the Android Open Source Project, on the device.
    case aosp
    /// Chromium, for Trusted Web Activities and related apps.
    case chromium

    var agent: Probe.Agent {
        switch self {
        case .apple: .appleBot
        case .google: .google
        case .aosp: .android
        case .chromium: .chromium
        }
    }

    var document: Probe.Document { self == .apple ? .apple : .statements }

    /// Its name in a sentence.
    var name: String {
        switch self {
        case .apple: "Apple"
        case .google: "Google's service"
        case .aosp: "Android's verifier"
        case .chromium: "Chromium"
        }
    }

    var followsRedirects: Bool { self == .chromium }

    /// Whether it rejects files with another content type.
    var needsJSONType: Bool { self == .google }

    /// Its code for a failure; nil if unknown.
    func word(for kind: RefusedFile.Kind) -> String? {
        switch self {
        case .apple:
            switch kind {
            case .status, .redirect: "SWCERR00101"
            case .time: "SWCERR00301"
            case .unreachable, .trust, .size, .type, .malformed: nil
            }
        case .google:
            switch kind {
            case .status, .time, .unreachable: "ERROR_CODE_FETCH_ERROR"
            case .redirect: "ERROR_CODE_REDIRECT"
            case .trust: "ERROR_CODE_FAILED_SSL_VALIDATION"
            case .size: "ERROR_CODE_TOO_LARGE"
            case .type: "ERROR_CODE_WRONG_CONTENT_TYPE"
            case .malformed: "ERROR_CODE_MALFORMED_HTTP_RESPONSE"
            }
        case .aosp:
            switch kind {
            case .status: "state 1026"
            case .time: "state 1027"
            case .redirect: "state 1029"
            case .unreachable, .trust, .size, .type, .malformed: "state 1028"
            }
        case .chromium: nil
        }
    }
}

/// Why a consumer rejects the file of a host.
public struct RefusedFile: Error, Sendable, CustomStringConvertible {
    public let description: String

    /// The kind of failure.
    public enum Kind: Sendable {
        case unreachable
        case trust
        case time
        case redirect
        case status
        case type
        case size
        /// Not HTTP, or a body that does not match its content coding.
        case malformed
    }

    init(_ message: String, _ kind: Kind, for consumer: FileConsumer) {
        let word = consumer.word(for: kind).map { "; \(consumer.name) calls it \($0)" }
        description = message + (word ?? "")
    }
}
