// What the operator has decided about the delivery monitor.

public import Client
import Verifier

/// The settings of the delivery monitor.
public struct DeliveryRules: Sendable {
    /// The host is appended.
    public var apple: WebLocation
    /// The query is appended.
    public var google: WebLocation
    public var webhooks: [WebhookTarget] = []
    public var userAgent: String
    /// For requests over TLS.
    public var proxy: ProxySettings?

    public init(apple: WebLocation, google: WebLocation, userAgent: String) {
        (self.apple, self.google, self.userAgent) = (apple, google, userAgent)
    }

    /// Where to look at the copy of a host's file. The answer of Google's service is about all of the host's apps.
    func location(of host: String, at verifier: DeliveryVerifier) -> WebLocation? {
        switch verifier {
        case .apple: WebLocation("\(apple)\(host)")
        case .google: WebLocation("\(google)\(VerifierRequest.googleQuery(host))")
        }
    }
}

/// A receiver of messages about deliveries.
public struct WebhookTarget: Sendable {
    public let location: WebLocation
    /// Signs the messages.
    let secret: [UInt8]

    public static let secretBytesMin = 16

    public init(_ location: WebLocation, secret: [UInt8]) { (self.location, self.secret) = (location, secret) }
}
