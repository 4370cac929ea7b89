// Signed requests. Each needs an unused nonce of the authority (RFC 8555 §6.5). If none is left, a call requests one first. If
// the authority refuses the nonce, which is normal, the call is signed again with a new one.

import SourceJSON
import TLS

/// An account key at a certificate authority, with the nonces for the next requests.
public struct AuthoritySession: Sendable {
    public var directory: AuthorityDirectory
    public let key: AccountKey
    /// Nil until the account is registered or found.
    public var account: AuthorityURL?
    /// The newest is last, and is used first.
    private var nonces: [String] = []

    public init(_ directory: AuthorityDirectory, key: AccountKey, account: AuthorityURL? = nil) {
        (self.directory, self.key, self.account) = (directory, key, account)
    }

    /// Sends the requests of a call and returns its response.
    /// - Parameter send: sends one request and returns the response, whatever its status.
    public mutating func perform(
        _ call: SignedCall, send: (AuthorityRequest) throws(AuthorityProblem) -> AuthorityResponse
    ) throws(AuthorityProblem) -> AuthorityResponse {
        var call = call
        while true {
            let response = try send(try call.request(&self))
            if let answer = try call.take(response, &self) { return answer }
        }
    }

    fileprivate mutating func takeNonce() -> String? { nonces.popLast() }

    fileprivate mutating func keepNonce(of response: AuthorityResponse) {
        guard let nonce = response.nonce else { return }
        nonces.append(nonce)
        if nonces.count > AuthorityLimits.noncesMax { nonces.removeFirst() }
    }

    /// All others are older than a refused one.
    fileprivate mutating func keepOnlyNonce(of response: AuthorityResponse) {
        nonces = []
        keepNonce(of: response)
    }
}

/// One signed request: send `request`, give the response to `take`, and repeat while that returns nil.
public struct SignedCall: Sendable {
    enum Signer: Sendable {
        case account
        /// The session's key, without an account.
        case accountKey
        /// A certificate's key.
        case other(AccountKey)
    }

    let url: AuthorityURL
    /// Empty to read a resource (POST-as-GET, RFC 8555 §6.3).
    let payload: [UInt8]
    private let signer: Signer
    private let accept: String?
    private var isGettingNonce = false
    private var refusals = 0
    /// Whether the last request was the signed one.
    var isMessageSent: Bool { !isGettingNonce }

    init(_ url: AuthorityURL, _ payload: SourceValue?, by signer: Signer = .account, accept: String? = nil) {
        (self.url, self.signer, self.accept) = (url, signer, accept)
        self.payload = payload.map { SourceWriter.minified($0) } ?? []
    }

    /// The next request to send: the signed one, or one for a nonce.
    public mutating func request(_ session: inout AuthoritySession) throws(AuthorityProblem) -> AuthorityRequest {
        guard let nonce = session.takeNonce() else {
            isGettingNonce = true
            return AuthorityRequest(.head, session.directory.newNonce)
        }
        isGettingNonce = false
        let (key, account) = try signer(session)
        let message = try key.sign(payload, for: url, nonce: nonce, account: account)
        return AuthorityRequest(.post, url, accept: accept, body: SourceWriter.minified(message))
    }

    private func signer(_ session: AuthoritySession) throws(AuthorityProblem) -> (AccountKey, AuthorityURL?) {
        switch signer {
        case .account:
            guard let account = session.account else {
                throw AuthorityProblem(.accountDoesNotExist, "the key has no account at this authority yet")
            }
            return (session.key, account)
        case .accountKey: return (session.key, nil)
        case .other(let key): return (key, nil)
        }
    }

    /// Takes the response to the last request.
    /// - Returns: the response to the call; nil if another `request` is needed.
    public mutating func take(
        _ response: AuthorityResponse, _ session: inout AuthoritySession
    ) throws(AuthorityProblem) -> AuthorityResponse? {
        session.keepNonce(of: response)
        if isGettingNonce {
            if response.nonce != nil { return nil }
            var problem = AuthorityProblem(response)
            // The problem is not about the call itself.
            if problem.kind != .rateLimited { problem.kind = .noAnswer }
            problem.detail = "the authority does not send a nonce: \(problem.detail)"
            throw problem
        }
        if response.isSuccess { return response }
        let problem = AuthorityProblem(response)
        guard problem.kind == .badNonce, refusals < AuthorityLimits.nonceRefusalsMax else { throw problem }
        refusals += 1
        session.keepOnlyNonce(of: response)
        return nil
    }
}
