// Sends requests to URLs, one after the other. A session looks up the address, uses the proxy if there is one, keeps the
// connection for the next request to the same host, and follows redirects up to a limit. It sends no request to a server
// whose certificate cannot be trusted.

import Posix
public import TLS

/// A client for one thread.
public struct WebSession: ~Copyable {
    private let context: ClientContext?
    private let settings: WebSessionSettings
    private let addresses: HostAddresses
    private var kept: Kept? = nil

    private struct Kept: ~Copyable {
        var isSecure: Bool
        var host: CheckedHost
        var connection: ClientConnection
    }

    /// - Parameter context: nil if all requests use plain HTTP.
    public init(_ context: ClientContext?, _ settings: WebSessionSettings) {
        self.context = context
        self.settings = settings
        addresses = HostAddresses(overrides: settings.overrides)
    }

    /// Sends a request and reads the answer.
    /// - Parameters:
    ///   - fields: further field lines. They are not sent to another host after a redirect.
    ///   - body: redirects are followed only for methods without a body (GET and HEAD).
    public mutating func send(
        _ location: WebLocation, method: String = "GET", fields: [FetchedResponse.Field] = [], body: [UInt8]? = nil
    ) throws(FetchError) -> FetchedResponse {
        let stopwatch = Stopwatch(settings.limits.milliseconds)
        var place = location
        for step in 0... {
            var request = FetchRequest(
                host: place.host.name, hostField: place.hostField, address: .unknown, isSecure: place.isSecure,
                path: place.path, userAgent: settings.userAgent, limits: settings.limits)
            request.method = method
            request.body = body
            request.fields = place.host == location.host && place.isSecure == location.isSecure ? fields : []
            request.keepsConnection = true
            request.requiresTrust = true
            let response = try send(request, to: place, stopwatch)
            guard settings.redirectsMax > 0, response.isRedirect, ["GET", "HEAD"].contains(method) else {
                return response
            }
            guard step < settings.redirectsMax else { throw .failed("there are too many redirects") }
            guard let next = place.following(response["location"]), next.isSecure || !place.isSecure else {
                throw .failed("it answers \(response.status), a redirect to an invalid or insecure location")
            }
            place = next
        }
        preconditionFailure("the loop returns or throws")
    }

    /// Sends a request over the kept connection or a new one. The server may close a kept connection at the moment of the
    /// request, so GET and HEAD are then sent again (RFC 9110 §9.2.2).
    private mutating func send(
        _ request: FetchRequest, to place: WebLocation, _ stopwatch: Stopwatch
    ) throws(FetchError) -> FetchedResponse {
        if var last = kept.take(), last.isSecure == place.isSecure, last.host == place.host, last.connection.isReusable
        {
            do throws(FetchError) {
                let response = try last.connection.send(request, stopwatch)
                kept = .some(consume last)
                return response
            } catch {
                let mayRepeat = ["GET", "HEAD"].contains(request.method) && !last.connection.hasAnswered
                guard mayRepeat, !error.isTimeOut else { throw error }
            }
        }
        var connection = try connect(request, place, stopwatch)
        let response = try connection.send(request, stopwatch)
        kept = .some(Kept(isSecure: place.isSecure, host: place.host, connection: connection))
        return response
    }

    /// Connects to the first address that can be used. Each gets its share of the time that is left, so that one which does not answer
    /// does not use up the time of the others. Nothing has been sent yet, so any failure leads to the next address; the first failure,
    /// that of the preferred address, is the one to report.
    private func connect(
        _ request: FetchRequest, _ place: WebLocation, _ stopwatch: Stopwatch
    ) throws(FetchError) -> ClientConnection {
        var request = request
        request.tunnel = place.isSecure ? settings.proxy?.tunnel(to: place.host) : nil
        let target = request.tunnel == nil ? place.host : settings.proxy?.proxy ?? place.host
        let found: [SocketAddress]
        do throws(NameLookupError) { found = try addresses.of(target) } catch { throw .failed(error.description) }
        var failure: FetchError?
        for (index, address) in found.enumerated() where stopwatch.left > 0 {
            request.address = address
            let share = stopwatch.left / (found.count - index)
            request.limits.connectMilliseconds = min(share, settings.limits.connectMilliseconds ?? share)
            do throws(FetchError) {
                return try ClientConnection(for: request, context, stopwatch)
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? .failed(found.isEmpty ? "\(target) has no address" : "the name lookup used up the time")
    }
}

/// The settings for all requests of a session.
public struct WebSessionSettings: Sendable {
    public var userAgent: String?
    public var limits = WebSessionSettings.usualLimits
    /// The number of redirects to follow; with 0, a redirect is returned as the answer.
    public var redirectsMax = 0
    public var proxy: ProxySettings?
    public var overrides: [AddressOverride] = []

    /// For services that take longer than a verifier waits. Some authorities issue a certificate before they answer.
    private static var usualLimits: FetchLimits {
        var limits = FetchLimits()
        (limits.milliseconds, limits.connectMilliseconds, limits.headMilliseconds) = (30_000, 10_000, 20_000)
        return limits
    }

    public init() {}
}
