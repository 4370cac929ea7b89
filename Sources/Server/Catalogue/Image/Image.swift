// The format of a catalogue layer in memory: one block of bytes with offsets instead of pointers. Written to a file and mapped
// again, it is the same layer.
//
//   header | heap: field lines, bodies, host names, paths | slots | sites | routes | answers | landings | rules | items |
//   segments | files
//
// Slots are an open-addressing table over the hash of a host name. Each site has a run of routes, sorted by the hash of their
// path; each route has the number of an answer; each answer has the place of its bytes in the heap. A site may have a run of
// landing pages, each with a run of link rules, which have runs of items, and a run of text segments. No record has padding, so
// equal records are equal bytes.

/// The first bytes of an image.
struct ImageHeader: BitwiseCopyable {
    /// Must change with each change of the records below.
    static let formatNumber: UInt64 = 0x0002_7961_6C63_7361

    var format: UInt64 = ImageHeader.formatNumber
    var byteCount: UInt64 = 0
    /// The keyed hash of its hosts and paths.
    var hash: KeyHash
    var slots = TablePlace()
    var sites = TablePlace()
    var routes = TablePlace()
    var answers = TablePlace()
    var landings = TablePlace()
    var rules = TablePlace()
    var items = TablePlace()
    var segments = TablePlace()
    var files = TablePlace()
}

/// The place of a table in the image, and its number of records.
struct TablePlace: BitwiseCopyable {
    var offset: UInt64 = 0
    var count: UInt64 = 0
}

/// Bytes in the heap.
struct Blob: Hashable, BitwiseCopyable {
    var offset: UInt64
    var count: UInt64
}

/// Records of a table that follow each other.
struct Run: Hashable, BitwiseCopyable {
    var first: UInt32 = 0
    var count: UInt32 = 0

    var range: Range<Int> { Int(first)..<Int(first) + Int(count) }
}

/// A slot of the table of host names: the site's number plus one, and above it bits of the hash, so that readers hardly ever
/// compare the wrong host.
struct HostSlot: BitwiseCopyable {
    private var bits: UInt64

    static let empty = HostSlot(bits: 0)

    private init(bits: UInt64) { self.bits = bits }

    init(site: Int, hash: UInt64) { bits = hash & ~0xFFFF_FFFF | UInt64(site + 1) }

    @inline(__always) var isEmpty: Bool { bits == 0 }
    /// -1 when the slot is empty.
    @inline(__always) var site: Int { Int(bits & 0xFFFF_FFFF) &- 1 }

    @inline(__always)
    func mayBe(_ hash: UInt64) -> Bool { (bits ^ hash) >> 32 == 0 }
}

/// One site: a host name and its routes.
struct SiteRecord: BitwiseCopyable {
    /// For a wildcard, its suffix with the dot.
    var host: Blob
    var routes: Run
    var landings: Run
    /// The number of the fallback answer, plus one; 0 when there is none.
    var fallback: UInt32
    var flags: UInt32

    /// The host has no site any more, whatever older layers say.
    static let isRemoved: UInt32 = 1
    /// Paths without an answer get the index page of the shared pages.
    static let fallsBackToShared: UInt32 = 2
    /// Nothing is served under this host, and no wildcard covers it.
    static let isClosed: UInt32 = 4
    static let flagsMax: UInt32 = 7
}

/// One path of a site.
struct RouteRecord: BitwiseCopyable {
    var path: Blob
    var pathHash: UInt64
    var answer: UInt64
}

/// One form of a body with its field lines.
struct RepresentationRecord: BitwiseCopyable {
    /// All field lines but the length: those that a 304 repeats, then `content-type`, then the others.
    var fields: Blob
    /// For a file, only the count is used.
    var body: Blob
    var sharedFieldBytes: UInt16
    var contentTypeBytes: UInt16
    /// The offset of the entity tag's value in `fields`.
    var tagOffset: UInt16
    var tagCount: UInt16
    /// The number of the layer's file that holds the body; -1 when the body is in the heap.
    var file: Int64
}

struct AnswerRecord: BitwiseCopyable {
    var kind: UInt8
    /// 0 or 1.
    var hasGzip: UInt8
    var status: UInt16
    var unused: UInt32 = 0
    /// `Int64.min` when the answer has no date of its own.
    var lastModified: Int64
    var identity: RepresentationRecord
    var gzip: RepresentationRecord
}

/// One landing page.
struct LandingRecord: BitwiseCopyable {
    var answer: UInt32
    var rules: Run
    var segments: Run
}

/// A text of a landing page, and what is inserted after it.
struct SegmentRecord: BitwiseCopyable {
    var text: Blob
    var insertion: UInt64
}

/// A rule about the links that a landing page answers.
struct LinkRuleRecord: BitwiseCopyable {
    var path: Blob
    var query: Blob
    var items: Run
    var flags: UInt64

    static let excludes: UInt64 = 1
    static let foldsCase: UInt64 = 2
    static let hasPath: UInt64 = 4
    static let hasQuery: UInt64 = 8

    @inline(__always)
    func has(_ flag: UInt64) -> Bool { flags & flag != 0 }
}

/// A condition on a query parameter.
struct LinkItemRecord: BitwiseCopyable {
    var name: Blob
    var pattern: Blob
}

/// A file that is sent from disk, with the marks that show whether it has changed.
struct FileRecord: BitwiseCopyable {
    var path: Blob
    var byteCount: Int64
    var inode: UInt64
    var modifiedNanoseconds: Int64
}
