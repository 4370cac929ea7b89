// The client of the admin listener, for commands.

import Client
public import Posix
import Service

public enum AdminClient {
    /// An answer.
    public struct Response: Sendable {
        public var status: Int
        public var body: [UInt8]
    }

    /// Why there is no answer.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The longest answer is the list of served hosts.
    private static let bytesMax = ServedHosts.bytesMax

    /// Fetches a path within the time.
    public static func get(
        _ path: String, from address: SocketAddress, token: AdminToken?, timeoutMilliseconds: Int
    ) throws(Failure) -> Response {
        var request = request("GET", path, address, timeoutMilliseconds)
        if let token { request.fields = [.init(name: "Authorization", value: token.authorization)] }
        return try ask(request)
    }

    /// Sends what the manager says of itself.
    public static func put(
        _ report: ManagerReport, to address: SocketAddress, timeoutMilliseconds: Int
    ) throws(Failure) -> Response {
        var request = request("PUT", ManagerReport.path, address, timeoutMilliseconds)
        request.fields = [.init(name: "Content-Type", value: ServiceResponse.json)]
        request.body = report.json
        return try ask(request)
    }

    private static func ask(_ request: FetchRequest) throws(Failure) -> Response {
        // The end of the connection alone does not show that an answer is complete. A 204 has no length.
        guard case .success(let response) = try fetch(request), response.statusLine.hasPrefix("HTTP/1.1 "),
            response.status == 204 || response["content-length"] == "\(response.body.count)"
        else {
            throw Failure(
                description: "\(request.address) sends no complete answer; check that associated listens there")
        }
        return Response(status: response.status, body: response.body)
    }

    /// Checks that a server answers, without knowing what it serves: `OPTIONS *`, which RFC 9110 §9.3.7 suggests as a ping. It
    /// must answer with a success within the time.
    public static func ping(_ address: SocketAddress, timeoutMilliseconds: Int) throws(Failure) {
        var request = request("OPTIONS", "*", address, timeoutMilliseconds)
        request.readsBody = false
        let line =
            switch try fetch(request) {
            case .success(let response): response.statusLine
            case .failure(.malformed(_, let line)): line
            case .failure: ""
            }
        guard line.hasPrefix("HTTP/1.1 2") else {
            throw Failure(description: "\(request.address) answers \"\(line)\"; check that associated listens there")
        }
    }

    /// A request. A server that listens on all addresses is asked on loopback.
    private static func request(
        _ method: String, _ path: String, _ address: SocketAddress, _ timeoutMilliseconds: Int
    ) -> FetchRequest {
        var request = FetchRequest(
            host: "localhost", hostField: "localhost", address: address.reachable, isSecure: false, path: path,
            userAgent: nil)
        request.method = method
        request.limits.milliseconds = timeoutMilliseconds
        request.limits.bodyBytesMax = bytesMax
        return request
    }

    private static func fetch(_ request: FetchRequest) throws(Failure) -> Result<FetchedResponse, FetchError> {
        let result = Fetcher(nil).fetch(request)
        if case .failure(let error) = result, let error = error.systemError {
            throw Failure(description: "no answer from \(request.address): \(error)")
        }
        return result
    }
}
