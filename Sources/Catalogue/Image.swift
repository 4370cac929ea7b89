// How a catalogue lies in memory: one block of bytes that nothing points into from outside and that points nowhere. It
// could be written to a file and mapped again as it is.
//
//   heap: field lines, bodies, host names, paths | slots | sites | routes | answers | landings | rules | items | segments
//
// Slots are an open-addressing table over the hash of a host name; each site has a run of routes, sorted by the hash of
// their path; each route names an answer; each answer names its bytes in the heap. A site may have a run of landing pages,
// each with a run of rules (and those of items) that say where it stands, and a run of segments that it is made of.

/// A stretch of the heap.
struct Blob: Hashable {
    var offset: UInt64
    var count: UInt64
}

/// One site: a host name and its run of routes.
struct SiteRecord {
    var host: Blob
    var firstRoute: UInt32
    var routeCount: UInt32
    var firstLanding: UInt32
    var landingCount: UInt32
    /// The answer for paths without one, plus one; 0 when there is none.
    var fallback: UInt64
}

/// One path of a site.
struct RouteRecord {
    var path: Blob
    var pathHash: UInt64
    var answer: UInt64
}

/// One form of a body with its field lines.
struct RepresentationRecord {
    /// All field lines but the length: those that a 304 repeats, then `content-type`, then the others.
    var fields: Blob
    var sharedFieldBytes: UInt16
    var contentTypeBytes: UInt16
    /// Where in `fields` the entity tag's value stands.
    var tagOffset: UInt16
    var tagCount: UInt16
    /// For a file only its count is of use.
    var body: Blob
    /// The number of the catalogue's file that holds the body; -1 when it lies in the heap.
    var file: Int32
}

/// One answer.
struct AnswerRecord {
    var kind: UInt8
    var hasGzip: Bool
    var status: UInt16
    /// `Int64.min` when the answer has no date of its own.
    var lastModified: Int64
    var identity: RepresentationRecord
    var gzip: RepresentationRecord
}

/// One landing page.
struct LandingRecord: Hashable {
    var answer: UInt32
    var firstRule: UInt32
    var ruleCount: UInt32
    var firstSegment: UInt32
    var segmentCount: UInt32
}

/// A stretch of a landing page, and what is put in behind it.
struct SegmentRecord: Hashable {
    var text: Blob
    var insertion: UInt8
}

/// A rule that says where a landing page stands.
struct LinkRuleRecord: Hashable {
    var path: Blob
    var query: Blob
    var firstItem: UInt32
    var itemCount: UInt32
    var excludes: Bool
    var foldsCase: Bool
    var hasPath: Bool
    var hasQuery: Bool
}

/// A condition on a query item.
struct LinkItemRecord: Hashable {
    var name: Blob
    var pattern: Blob
}

/// A table whose equal runs are stored once.
struct RecordRuns<Record: Hashable & BitwiseCopyable> {
    private(set) var records: [Record] = []
    private var known: [[Record]: UInt32] = [:]

    /// Where the run begins.
    mutating func add(_ run: [Record]) -> UInt32 {
        if let first = known[run] { return first }
        let first = UInt32(records.count)
        records += run
        known[run] = first
        return first
    }
}

/// The hash of host names and paths. The keys are the operator's, so no client can make them collide; a client can only
/// ask for names that are not there, which costs one probe sequence of bounded length.
enum KeyHash {
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
        var index = 0
        while index + 8 <= bytes.count {
            hash = mix(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var tail: UInt64 = 0
        while index < bytes.count {
            tail = tail << 8 | UInt64(bytes[index])
            index += 1
        }
        return mix(hash ^ tail)
    }

    /// Multiplies into 128 bits and folds them: every bit of the input reaches every bit of the output.
    @inline(__always)
    private static func mix(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}
