// A scripted authority behind HTTPS on loopback, for tests of what sends the requests. One thread answers one request after the
// other and keeps connections.

import Certificates
import HTTP
import Posix
import Synchronization
import TLS
import TestSupport

@testable import ACME

final class AuthorityServer: Sendable {
    /// How it differs from a server that delivers each answer.
    struct Faults: Sendable {
        /// By how much its clock is ahead.
        var clockLeadSeconds: Int64 = 0
        /// It ends connections instead of answering, and the authority does not get the requests.
        var isDown = false
        /// The next requests whose paths contain these texts have their effect, but the client waits for the answers forever.
        var lostAnswers: [String] = []
        /// At one of the next requests, the client ends.
        var crash: Crash?
    }

    /// The end of a client at one of its requests.
    struct Crash: Sendable {
        /// Counted from 1.
        var request: Int
        /// Whether the authority gets the request. The answer is lost.
        var isHeard: Bool
        /// Ends the client.
        var happens: @Sendable () -> Void
    }

    /// The URL of the authority's directory.
    let directory: AuthorityURL
    /// The CA certificate to trust.
    let authorityFile: String
    let faults = Shared(Faults())
    private let authority: SharedAuthority
    private let server: ScriptedServer

    /// - Parameter folder: for certificates. The servers of one folder have the same CA certificate.
    init(_ scripted: ScriptedAuthority, in folder: TemporaryFolder) throws {
        let development = try DevelopmentAuthority(directory: "\(folder.path)/tls")
        let place = "\(folder.path)/hosts/_default"
        if !File.exists("\(place)/fullchain.pem") {
            try development.write(
                for: "localhost", certificateFile: "\(place)/fullchain.pem", keyFile: "\(place)/privkey.pem")
        }
        let authority = SharedAuthority(scripted)
        server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder.path)/hosts")) {
            [faults] request in
            AuthorityServer.answer(request, authority, faults)
        }
        let port = "\(server.address)".split(separator: ":").last ?? ""
        let base = "https://localhost:\(port)"
        guard let directory = AuthorityURL("\(base)/dir") else { throw AuthorityProblem.noAnswer("no URL: \(base)") }
        authority.use { $0.base = base }
        (self.directory, self.authority) = (directory, authority)
        authorityFile = development.certificatePath
    }

    /// Looks at the authority, or changes it.
    @discardableResult
    func use<Result: Sendable>(_ body: (ScriptedAuthority) -> Result) -> Result { authority.use(body) }

    private static func answer(
        _ text: String, _ authority: SharedAuthority, _ faults: Shared<Faults>
    ) -> ScriptedServer.Answer {
        var crash: Crash?
        faults.change { faults in
            faults.crash?.request -= 1
            if faults.crash?.request == 0 { crash = faults.crash }
        }
        if let crash {
            crash.happens()
            // An ended process repeats no request.
            faults.change { $0.isDown = true }
            if !crash.isHeard { return .bytes([]) }
        } else if faults.value.isDown {
            return .bytes([])
        }
        let response: AuthorityResponse? = authority.use { authority in
            request(text, authority.base).map { authority.answer($0) }
        }
        if crash != nil { return .bytes([]) }
        guard let response else { return .text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n") }
        let path = text.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
        var isLost = false
        faults.change { faults in
            guard let place = faults.lostAnswers.firstIndex(where: { path.contains($0) }) else { return }
            faults.lostAnswers.remove(at: place)
            isLost = true
        }
        return isLost
            ? .stall([]) : .keep(bytes(response, at: Clock.wallSeconds() + faults.value.clockLeadSeconds))
    }

    /// Nil if the text is not a request that a client of ACME sends.
    private static func request(_ text: String, _ base: String) -> AuthorityRequest? {
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count == 3, let method = AuthorityRequest.Method(rawValue: String(words[0])),
            let url = AuthorityURL("\(base)\(words[1])")
        else { return nil }
        return AuthorityRequest(method, url, body: method == .post ? Array(text[end.upperBound...].utf8) : nil)
    }

    private static func bytes(_ response: AuthorityResponse, at time: Int64) -> [UInt8] {
        var lines = [
            "HTTP/1.1 \(response.status) Scripted", "Date: \(HTTPDate.text(time))",
            "Content-Length: \(response.body.count)",
        ]
        if let nonce = response.nonce { lines.append("Replay-Nonce: \(nonce)") }
        if let location = response.location { lines.append("Location: \(location)") }
        if let seconds = response.retryAfterSeconds { lines.append("Retry-After: \(seconds)") }
        for relation in ["index", "next", "alternate", "terms-of-service"] {
            lines += response.links(relation).map { "Link: <\($0)>;rel=\"\(relation)\"" }
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + response.body
    }
}

/// The thread of the server and the test use the authority, one at a time.
private final class SharedAuthority: @unchecked Sendable {
    private let authority: ScriptedAuthority
    private let lock = Mutex(())

    init(_ authority: ScriptedAuthority) { self.authority = authority }

    func use<Result: Sendable>(_ body: (ScriptedAuthority) -> Result) -> Result {
        lock.withLock { _ in body(authority) }
    }
}
