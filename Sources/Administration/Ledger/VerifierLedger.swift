// When Apple, Google and phones last looked at each host, and what they got: the one thing that tells whether a change has
// arrived where it counts. Only hosts that are served get in, under the name they are configured by, so that nobody can fill
// it with names of their own; and when it is full, those that are no longer served make room, then those that nobody has
// looked at for longest.

import Synchronization
public import Telemetry

/// The ledger in memory. Written by the thread that keeps it, read by the one that answers.
public final class VerifierLedger: Sendable {
    /// The name by which a host is configured: its own, or that of its wildcard. Nil for one that is not served.
    public typealias Naming = @Sendable (String) -> String?

    struct Book {
        /// By the configured name; at most one record for each kind.
        var records: [String: [VerifierRecord]] = [:]
        /// When the first of them could have been made, in seconds since 1970.
        var beganSeconds: Int64
        var figures = VerifierFigures()
        /// Names whose records the file does not have as they are.
        var unsaved: Set<String> = []
    }

    private let naming: Naming
    private let hostsMax: Int
    let book: Mutex<Book>

    /// So many hosts with two verifiers each take 70 MB.
    public static let hostsMax = 100_000

    public init(nowSeconds: Int64, hostsMax: Int = VerifierLedger.hostsMax, naming: @escaping Naming) {
        precondition(hostsMax > 0, "a ledger has room for a host")
        self.hostsMax = hostsMax
        self.naming = naming
        book = Mutex(Book(beganSeconds: nowSeconds))
    }

    /// Takes up one fetch.
    public func note(_ sighting: Sighting) {
        guard sighting.verifier != .none, let name = naming(sighting.host) else { return }
        book.withLock { book in
            book.figures.fetches[sighting.verifier, default: [:]][StatusClass(sighting.status), default: 0] += 1
            if book.records[name] == nil, book.records.count >= hostsMax { makeRoom(&book) }
            if let index = book.records[name]?.firstIndex(where: { $0.verifier == sighting.verifier }) {
                book.records[name]?[index].note(sighting)
            } else {
                book.records[name, default: []].append(VerifierRecord(sighting))
            }
            book.figures.lastSeconds[sighting.verifier] = max(
                sighting.seconds, book.figures.lastSeconds[sighting.verifier] ?? .min)
            book.unsaved.insert(name)
        }
    }

    /// What is known of the host that is configured by this name, the latest first.
    public func records(of name: String) -> [VerifierRecord] {
        book.withLock { $0.records[name] ?? [] }.sorted { $0.lastSeconds > $1.lastSeconds }
    }

    /// All records, by the name that a host is configured by.
    public var allRecords: [String: [VerifierRecord]] { book.withLock { $0.records } }

    /// Since when fetches are recorded: what is not there did not happen since then.
    public var beganSeconds: Int64 { book.withLock { $0.beganSeconds } }

    public var figures: VerifierFigures {
        book.withLock { book in
            book.figures.hosts = book.records.count
            return book.figures
        }
    }

    /// Takes up what a file has: that of an earlier process, or of one beside this.
    func merge(_ file: LedgerFile) {
        book.withLock { book in
            book.beganSeconds = min(book.beganSeconds, file.beganSeconds)
            for (name, written) in file.records {
                if book.records[name] == nil, book.records.count >= hostsMax { makeRoom(&book) }
                for record in written {
                    if let index = book.records[name]?.firstIndex(where: { $0.verifier == record.verifier }) {
                        book.records[name]?[index].merge(written: record)
                    } else {
                        book.records[name, default: []].append(record)
                    }
                    book.figures.lastSeconds[record.verifier] = max(
                        record.lastSeconds, book.figures.lastSeconds[record.verifier] ?? .min)
                }
            }
        }
    }

    /// A sixteenth at a time, so that going through all of them is seldom.
    private func makeRoom(_ book: inout Book) {
        let ages = book.records.map { name, records in
            (name: name, isServed: naming(name) != nil, last: records.map(\.lastSeconds).max() ?? .min)
        }
        let order = ages.sorted { left, right in
            left.isServed == right.isServed
                ? (left.last, left.name) < (right.last, right.name) : !left.isServed
        }
        let room = max(1, hostsMax / 16)
        for entry in order.prefix(room) { book.records[entry.name] = nil }
        book.figures.evicted += min(room, order.count)
    }
}

/// A verifier's fetches of a host's association files, summed up.
public struct VerifierRecord: Sendable, Equatable {
    public var verifier: VerifierKind
    /// Of the last fetch, as everything but the first time and the count.
    public var document: RequestedDocument
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
        verifier: VerifierKind, document: RequestedDocument, status: UInt16, entityTag: String?, firstSeconds: Int64,
        lastSeconds: Int64, count: UInt64
    ) {
        (self.verifier, self.document, self.status, self.entityTag) = (verifier, document, status, entityTag)
        (self.firstSeconds, self.lastSeconds, self.count) = (firstSeconds, lastSeconds, count)
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
