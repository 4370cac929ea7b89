// The ledger: when Apple, Google and phones last fetched each host's files, and which version they got. It shows whether a change
// has reached them. Any client can send a verifier's user agent, so fetches from a published network of the verifier are recorded
// apart from the others: a forged one never replaces a confirmed one. The ledger contains only served hosts, under their configured names, so that clients cannot fill it with other names.
// When it is full, hosts that are no longer served are removed first, then those with the oldest fetches.

import HTTP
public import Posix
import Synchronization
public import Telemetry

/// The ledger in memory. The thread of `LedgerKeeper` writes it, that of the admin listener reads it.
public final class VerifierLedger: Sendable {
    /// The configured name of a host: its own, or that of its wildcard. Nil for one that is not served.
    public typealias Naming = @Sendable (String) -> String?

    struct Book {
        /// By configured name; at most two records for each verifier: of its confirmed and of its claimed fetches.
        var records: [String: [VerifierRecord]] = [:]
        /// Since when fetches are recorded, in seconds since 1970.
        var beganSeconds: Int64
        var figures = VerifierFigures()
        /// Names with changes that are not saved yet.
        var unsaved: Set<String> = []
    }

    private let naming: Naming
    private let hostsMax: Int
    let book: Mutex<Book>

    /// This many hosts with two verifiers each need 70 MB.
    public static let hostsMax = 100_000

    public init(nowSeconds: Int64, hostsMax: Int = VerifierLedger.hostsMax, naming: @escaping Naming) {
        precondition(hostsMax > 0, "a ledger has room for a host")
        (self.hostsMax, self.naming) = (hostsMax, naming)
        book = Mutex(Book(beganSeconds: nowSeconds))
    }

    public func note(_ fetch: VerifierFetch, nowSeconds: Int64 = Clock.wallSeconds()) {
        guard fetch.verifier != .none, let name = naming(fetch.host) else { return }
        let new = VerifierRecord(fetch)
        book.withLock { book in
            book.figures.fetches[fetch.verifier, default: [:]][StatusClass(fetch.status), default: 0] += 1
            if new.isConfirmed { book.figures.confirmed[fetch.verifier, default: 0] += 1 }
            if book.records[name] == nil, book.records.count >= hostsMax { makeRoom(&book) }
            if let index = book.records[name]?.firstIndex(where: { $0.isOfSameSource(as: new) }) {
                book.records[name]?[index].note(new, nowSeconds: nowSeconds)
            } else {
                book.records[name, default: []].append(new)
            }
            book.figures.noteTime(of: new)
            book.unsaved.insert(name)
        }
    }

    /// The records of a configured name, the latest first.
    public func records(of name: String) -> [VerifierRecord] {
        book.withLock { $0.records[name] ?? [] }.sorted { $0.lastSeconds > $1.lastSeconds }
    }

    public var allRecords: [String: [VerifierRecord]] { book.withLock { $0.records } }

    /// Since when fetches are recorded, in seconds since 1970.
    public var beganSeconds: Int64 { book.withLock { $0.beganSeconds } }

    public var figures: VerifierFigures {
        book.withLock { book in
            book.figures.hosts = book.records.count
            return book.figures
        }
    }

    /// Merges the file of an earlier process, or of another one that runs at the same time.
    func merge(_ file: LedgerFile) {
        book.withLock { book in
            book.beganSeconds = min(book.beganSeconds, file.beganSeconds)
            for (name, written) in file.records {
                if book.records[name] == nil, book.records.count >= hostsMax { makeRoom(&book) }
                for record in written {
                    if let index = book.records[name]?.firstIndex(where: { $0.isOfSameSource(as: record) }) {
                        book.records[name]?[index].merge(written: record)
                    } else {
                        book.records[name, default: []].append(record)
                    }
                    book.figures.noteTime(of: record)
                }
            }
        }
    }

    /// Removes a sixteenth at a time, so that sorting all hosts is rare.
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

/// The fetches of a host's association files by one verifier, either the confirmed or the claimed ones.
public struct VerifierRecord: Sendable, Equatable {
    public var verifier: VerifierKind
    /// Whether they came from a published network of the verifier. A claimed fetch may be genuine too.
    public var isConfirmed = false
    /// The client's network, such as `17.58.96.0/24`; nil if unknown. A single address could identify a person's phone.
    public var network: String?
    /// Of the last fetch, like everything else but the first time and the count.
    public var document: RequestedDocument
    public var status: UInt16
    /// With its quotes; nil if no document was sent.
    public var entityTag: String?
    /// Seconds since 1970.
    public var firstSeconds: Int64
    public var lastSeconds: Int64
    /// All fetches.
    public var count: UInt64
    /// Fetches that are not saved yet.
    var unsavedCount: UInt64 = 0

    public init(
        verifier: VerifierKind, document: RequestedDocument, status: UInt16, entityTag: String?, firstSeconds: Int64,
        lastSeconds: Int64, count: UInt64
    ) {
        (self.verifier, self.document, self.status, self.entityTag) = (verifier, document, status, entityTag)
        (self.firstSeconds, self.lastSeconds, self.count) = (firstSeconds, lastSeconds, count)
    }

    /// Whether the other record counts the same fetches: those of one verifier, confirmed or not.
    func isOfSameSource(as other: VerifierRecord) -> Bool {
        verifier == other.verifier && isConfirmed == other.isConfirmed
    }

    init(_ fetch: VerifierFetch) {
        self.init(
            verifier: fetch.verifier, document: fetch.document, status: fetch.status,
            entityTag: fetch.entityTag, firstSeconds: fetch.seconds, lastSeconds: fetch.seconds, count: 1)
        isConfirmed = PublishedNetworks.include(fetch.remote, of: fetch.verifier)
        network = fetch.remote.networkName
        unsavedCount = 1
    }

    /// Adds the record of a further fetch.
    mutating func note(_ fetch: VerifierRecord, nowSeconds: Int64) {
        count &+= fetch.count
        unsavedCount &+= fetch.unsavedCount
        firstSeconds = min(firstSeconds, fetch.firstSeconds)
        // The workers' rings are read one after the other, so a later fetch may have an earlier time. A time that has not come yet
        // was noted before the clock was set back.
        guard fetch.lastSeconds >= lastSeconds || lastSeconds > nowSeconds else { return }
        takeLast(of: fetch)
    }

    /// Merges a saved record: its count, plus this process's unsaved fetches.
    mutating func merge(written other: VerifierRecord) {
        count = other.count &+ unsavedCount
        firstSeconds = min(firstSeconds, other.firstSeconds)
        guard other.lastSeconds > lastSeconds else { return }
        takeLast(of: other)
    }

    private mutating func takeLast(of other: VerifierRecord) {
        lastSeconds = other.lastSeconds
        (document, status, entityTag) = (other.document, other.status, other.entityTag)
        network = other.network
    }
}

/// The networks that Apple and Google publish as theirs, and the network of a client. A fetch from one of them is confirmed. One
/// from elsewhere may be genuine too: phones are everywhere, and Apple does not publish the addresses of its CDN's fetcher. So the
/// table has only the large networks, which have been stable for years, and informs people; no answer depends on it.
enum PublishedNetworks {
    /// As Apple lists them for firewalls of companies.
    private static let apple = networks("17.0.0.0/8", "2403:300::/32", "2620:149::/32", "2a01:b740::/32")
    /// Google's lists of crawlers and of special crawlers, as they were on 2026-04-23. `googlebot.json` also has small networks in
    /// Google Cloud. Of the lists of user-triggered fetchers, `user-triggered-fetchers.json` has networks in which programs of
    /// Google's customers run, and the others have those from which Google requests what users and agents want. None of them proves
    /// that a fetch is Google's own, and Google does not name its fetcher of association files among those of these lists.
    private static let google = networks(
        // Most of googlebot.json, and all of the IPv6 networks of both.
        "66.249.64.0/19", "192.178.4.0/22", "2001:4860:4801::/48",
        // special-crawlers.json
        "72.14.199.0/24", "74.125.148.0/22", "74.125.216.0/22", "108.177.2.0/24", "192.178.16.0/23", "209.85.238.0/24")

    /// Whether the client is in a network of the company whose verifier it says it is.
    static func include(_ remote: RemoteAddress, of verifier: VerifierKind) -> Bool {
        let networks: TrustedNetworks
        switch verifier {
        case .appleCDN, .appleDevice: networks = apple
        case .googleAssociation, .googlebot: networks = google
        case .androidDevice, .none: return false
        }
        switch remote.family {
        case .ipv4: return networks.contains(ClientAddress(ipv4: UInt32(truncatingIfNeeded: remote.low)))
        case .ipv6: return networks.contains(ClientAddress(ipv6: remote.high, remote.low))
        case .local, .unknown: return false
        }
    }

    private static func networks(_ texts: String...) -> TrustedNetworks {
        var networks = TrustedNetworks()
        for text in texts {
            let isTaken = networks.add(text)
            precondition(isTaken, "\(text) is a network")
        }
        return networks
    }
}

extension RemoteAddress {
    /// The network of the client, which tells a company and not a person: a /24 of IPv4 or a /48 of IPv6. Nil for a Unix-domain
    /// peer.
    var networkName: String? {
        switch family {
        case .ipv4: "\(RemoteAddress(family: .ipv4, high: 0, low: low & ~0xFF, port: 0))/24"
        case .ipv6: "\(RemoteAddress(family: .ipv6, high: high & ~0xFFFF, low: 0, port: 0))/48"
        case .local, .unknown: nil
        }
    }
}
