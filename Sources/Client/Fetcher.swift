// One request, one answer, one connection, one time limit. Nothing is followed and nothing is tried again: what a verifier
// would do about it is decided by whoever asked.

public import TLS

/// Fetches over plain HTTP and over TLS. Several threads may use one.
public struct Fetcher: Sendable {
    private let context: ClientContext?

    /// - Parameter context: nil where all requests are plain.
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
