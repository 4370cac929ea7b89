// The numbers that every worker counts: a closed list, laid out as one row of 64-bit counters.

public import HTTP

/// One number that only grows.
public enum Counter: Hashable, Sendable {
    /// Answers, whatever became of them on the way.
    case requests(StatusClass, DocumentKind)
    case handshakes(HandshakeOutcome)
    case connectionsAccepted
    case connectionsRefused(AdmissionRefusal)
    /// Of those that were accepted and not refused.
    case connectionsClosed(CloseReason)
    /// Bytes from and to sockets, records and heads included.
    case bytesReceived
    case bytesSent
    /// Lines that the access log has no room for, because they are not taken away fast enough.
    case droppedLogLines
    /// Sightings of verifiers that nobody took away in time.
    case droppedSightings
    /// Requests that were refused before anybody looked at what they ask for; also among `requests`.
    case refusedRequests(Rejection)

    /// Its place in the row. The list that may grow elsewhere comes last.
    @inlinable
    public var index: Int {
        switch self {
        case .requests(let status, let kind):
            Int(status.rawValue) * Place.count(DocumentKind.none) + Int(kind.rawValue)
        case .handshakes(let outcome): Place.handshakes + Int(outcome.rawValue)
        case .connectionsRefused(let reason): Place.connectionsRefused + Int(reason.rawValue)
        case .connectionsClosed(let reason): Place.connectionsClosed + Int(reason.rawValue)
        case .connectionsAccepted: Place.connectionsAccepted
        case .bytesReceived: Place.bytesReceived
        case .bytesSent: Place.bytesSent
        case .droppedLogLines: Place.droppedLogLines
        case .droppedSightings: Place.droppedSightings
        case .refusedRequests(let reason): Place.refusedRequests + Int(reason.rawValue)
        }
    }

    /// Where each group begins: behind the one before it. All of constants, so that nothing is left to do at run time.
    @usableFromInline
    enum Place {
        @inlinable static var handshakes: Int { count(StatusClass.notSupported) * count(DocumentKind.none) }
        @inlinable static var connectionsRefused: Int { handshakes + count(HandshakeOutcome.other) }
        @inlinable static var connectionsClosed: Int { connectionsRefused + count(AdmissionRefusal.notFromFront) }
        @inlinable static var connectionsAccepted: Int { connectionsClosed + count(CloseReason.drained) }
        @inlinable static var bytesReceived: Int { connectionsAccepted + 1 }
        @inlinable static var bytesSent: Int { bytesReceived + 1 }
        @inlinable static var droppedLogLines: Int { bytesSent + 1 }
        @inlinable static var droppedSightings: Int { droppedLogLines + 1 }
        @inlinable static var refusedRequests: Int { droppedSightings + 1 }

        /// How many cases there are, told by the last of them.
        @inlinable
        static func count(_ last: some RawRepresentable<UInt8>) -> Int { Int(last.rawValue) + 1 }
    }

    /// The length of a row.
    public static let count = Place.refusedRequests + Rejection.allCases.count

    /// All of them, in the order of their places.
    public static let all: [Counter] =
        StatusClass.allCases.flatMap { status in DocumentKind.allCases.map { .requests(status, $0) } }
        + HandshakeOutcome.allCases.map { .handshakes($0) }
        + AdmissionRefusal.allCases.map { .connectionsRefused($0) }
        + CloseReason.allCases.map { .connectionsClosed($0) }
        + [.connectionsAccepted, .bytesReceived, .bytesSent, .droppedLogLines, .droppedSightings]
        + Rejection.allCases.map { .refusedRequests($0) }
}
