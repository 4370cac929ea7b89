// What the ledger knows of one verifier at one host.

public import Telemetry

/// A verifier's fetches of a host's association files, summed up.
public struct VerifierRecord: Sendable, Equatable {
    public var verifier: VerifierKind
    /// Of the last fetch, as everything but the first time and the count.
    public var document: DocumentKind
    public var status: UInt16
    /// With its quotes; nil where no document was sent.
    public var entityTag: String?
    /// Seconds since 1970.
    public var firstSeconds: Int64
    public var lastSeconds: Int64
    /// Fetches altogether.
    public var count: UInt64
    /// Those among them that the file does not have yet.
    var unsavedCount: UInt64 = 0

    public init(
        verifier: VerifierKind, document: DocumentKind, status: UInt16, entityTag: String?, firstSeconds: Int64,
        lastSeconds: Int64, count: UInt64
    ) {
        self.verifier = verifier
        self.document = document
        self.status = status
        self.entityTag = entityTag
        self.firstSeconds = firstSeconds
        self.lastSeconds = lastSeconds
        self.count = count
    }

    init(_ sighting: Sighting) {
        self.init(
            verifier: sighting.verifier, document: sighting.document, status: sighting.status,
            entityTag: sighting.entityTag, firstSeconds: sighting.seconds, lastSeconds: sighting.seconds, count: 1)
        unsavedCount = 1
    }

    /// Takes up a further fetch.
    mutating func note(_ sighting: Sighting) {
        count &+= 1
        unsavedCount &+= 1
        firstSeconds = min(firstSeconds, sighting.seconds)
        // Workers are read one after the other, so a later record may be of an earlier moment.
        guard sighting.seconds >= lastSeconds else { return }
        lastSeconds = sighting.seconds
        (document, status, entityTag) = (sighting.document, sighting.status, sighting.entityTag)
    }

    /// Takes up what another process has written: all that it counted, and of ours what it cannot know.
    mutating func merge(written other: VerifierRecord) {
        count = other.count &+ unsavedCount
        firstSeconds = min(firstSeconds, other.firstSeconds)
        guard other.lastSeconds > lastSeconds else { return }
        lastSeconds = other.lastSeconds
        (document, status, entityTag) = (other.document, other.status, other.entityTag)
    }
}
