// Sends one request over a new connection, within one time limit. It follows no redirects and does not retry; the caller decides
// what a verifier would do.

public import TLS

/// Fetches over plain HTTP and over TLS. Several threads may use one.
public struct Fetcher: Sendable {
    private let context: ClientContext?

    /// - Parameter context: nil if all requests use plain HTTP.
    public init(_ context: ClientContext?) { self.context = context }

    public func fetch(_ request: FetchRequest) -> Result<FetchedResponse, FetchError> {
        let stopwatch = Stopwatch(request.limits.milliseconds)
        do throws(FetchError) {
            var connection = try ClientConnection(for: request, context, stopwatch)
            return .success(try connection.send(request, stopwatch))
        } catch {
            return .failure(error)
        }
    }
}
