// What is believed of what fronts say about the clients behind them.

/// The fronts of a server: who they are, and in which fields they speak.
public struct FrontSettings: Sendable {
    /// Everybody else is a client, whatever they send.
    public var trusted = TrustedNetworks()
    /// One kind only: a front that writes the one passes on what a client has written into the other.
    public var fields = Fields.xForwarded
    /// Whether the front says which host was asked for (`X-Forwarded-Host`, or `host` in `Forwarded`). Off, because most fronts
    /// pass on what a client has written there: then anybody could have one tenant's answer kept for another's name.
    public var namesHost = false

    public enum Fields: String, Sendable, CaseIterable {
        /// `X-Forwarded-For`, `X-Forwarded-Proto`, `X-Forwarded-Host`
        case xForwarded = "x-forwarded"
        /// `Forwarded` (RFC 7239)
        case forwarded
    }

    public init() {}
}
