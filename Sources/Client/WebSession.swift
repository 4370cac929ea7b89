// Requests to places on the web, one after the other: it finds the address, goes through the proxy where there is one, keeps
// the connection for the next request to the same host, and follows redirects where that is wanted. Servers that a client
// must not trust get no request.

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

    /// - Parameter context: nil where all places are asked in plain HTTP.
    public init(_ context: ClientContext?, _ settings: WebSessionSettings) {
        self.context = context
        self.settings = settings
        addresses = HostAddresses(overrides: settings.overrides)
    }

    /// Sends a request to a place and reads the answer.
    /// - Parameters:
    ///   - fields: further field lines. They are for this host: a redirect to another one leaves them out.
    ///   - body: only a request without one is sent on where a redirect leads.
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
                throw .failed("it answers \(response.status), a redirect that leads nowhere safe")
            }
            place = next
        }
        preconditionFailure("the loop ends by itself")
    }

    /// Over the connection that is there, or over a new one. A kept connection may end at the moment of the request, which
    /// says nothing: what may be asked twice is asked again then (RFC 9110 §9.2.2).
    private mutating func send(
        _ request: FetchRequest, to place: WebLocation, _ stopwatch: Stopwatch
    ) throws(FetchError) -> FetchedResponse {
        if var last = kept.take(), last.isSecure == place.isSecure, last.host == place.host, last.connection.isReusable
        {
            let outcome: Result<FetchedResponse, FetchError>
            do throws(FetchError) {
                outcome = .success(try last.connection.send(request, stopwatch))
            } catch {
                outcome = .failure(error)
            }
            let mayRepeat = ["GET", "HEAD"].contains(request.method) && !last.connection.hasAnswered
            switch outcome {
            case .success(let response):
                kept = .some(consume last)
                return response
            case .failure(let error):
                guard mayRepeat, !error.isTimeOut else { throw error }
            }
        }
        var connection = try connect(request, place, stopwatch)
        let response = try connection.send(request, stopwatch)
        kept = .some(Kept(isSecure: place.isSecure, host: place.host, connection: connection))
        return response
    }

    /// To the first address that takes a connection.
    private func connect(
        _ request: FetchRequest, _ place: WebLocation, _ stopwatch: Stopwatch
    ) throws(FetchError) -> ClientConnection {
        var request = request
        request.tunnel = place.isSecure ? settings.proxy?.tunnel(to: place.host) : nil
        let target = request.tunnel == nil ? place.host : settings.proxy?.proxy ?? place.host
        let found: [SocketAddress]
        do throws(NameLookupError) { found = try addresses.of(target) } catch { throw .failed(error.description) }
        var failure = FetchError.failed("\(target) has no address")
        for address in found where stopwatch.left > 0 {
            request.address = address
            do throws(FetchError) {
                return try ClientConnection(for: request, context, stopwatch)
            } catch {
                guard case .cannotConnect = error else { throw error }
                failure = error
            }
        }
        throw failure
    }
}

/// What holds for all requests of a session.
public struct WebSessionSettings: Sendable {
    public var userAgent: String?
    public var limits = FetchLimits()
    /// How many redirects are followed; with 0 they are answers like others.
    public var redirectsMax = 0
    public var proxy: ProxySettings?
    public var overrides: [AddressOverride] = []

    public init() {}
}
