// How a layer of the catalogue lies in memory: one block of bytes that nothing points into from outside and that points
// nowhere. Written to a file and mapped again it is the same layer.
//
//   header | heap: field lines, bodies, host names, paths | slots | sites | routes | answers | landings | rules | items |
//   segments | files
//
// Slots are an open-addressing table over the hash of a host name; each site has a run of routes, sorted by the hash of
// their path; each route names an answer; each answer names its bytes in the heap. A site may have a run of landing pages,
// each with a run of rules (and those of items) that say where it stands, and a run of segments that it is made of.
// No record has a gap, so equal records are equal bytes.

/// What stands at the beginning of an image.
struct ImageHeader: BitwiseCopyable {
    /// Changes with each change of the records below.
    static let formatNumber: UInt64 = 0x0002_7961_6C63_7361

    var format: UInt64 = ImageHeader.formatNumber
    /// Of the whole image.
    var byteCount: UInt64 = 0
    /// The hash by which hosts and paths are found in it.
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

/// Where a table lies in the image, and how many records it has.
struct TablePlace: BitwiseCopyable {
    var offset: UInt64 = 0
    var count: UInt64 = 0
}

/// A stretch of the heap.
struct Blob: Hashable, BitwiseCopyable {
    var offset: UInt64
    var count: UInt64
}

/// A place in the table of host names: the site's number plus one, and above it bits of the hash, so that the wrong site
/// is hardly ever looked at.
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

/// One site: a host name and its run of routes.
struct SiteRecord: BitwiseCopyable {
    /// Of a wildcard the suffix, dot included.
    var host: Blob
    var firstRoute: UInt32
    var routeCount: UInt32
    var firstLanding: UInt32
    var landingCount: UInt32
    /// The answer for paths without one, plus one; 0 when there is none.
    var fallback: UInt32
    var flags: UInt32

    /// The name has no site any more, whatever older layers say.
    static let isRemoved: UInt32 = 1
    /// For paths without an answer, the index page of the shared pages stands.
    static let fallsBackToShared: UInt32 = 2
    /// There is nothing under this name, and no wildcard stands in for it.
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
    /// For a file only its count is of use.
    var body: Blob
    var sharedFieldBytes: UInt16
    var contentTypeBytes: UInt16
    /// Where in `fields` the entity tag's value stands.
    var tagOffset: UInt16
    var tagCount: UInt16
    /// The number of the layer's file that holds the body; -1 when it lies in the heap.
    var file: Int64
}

/// One answer.
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
    var firstRule: UInt32
    var ruleCount: UInt32
    var firstSegment: UInt32
    var segmentCount: UInt32
}

/// A stretch of a landing page, and what is put in behind it.
struct SegmentRecord: BitwiseCopyable {
    var text: Blob
    var insertion: UInt64
}

/// A rule that says where a landing page stands.
struct LinkRuleRecord: BitwiseCopyable {
    var path: Blob
    var query: Blob
    var firstItem: UInt32
    var itemCount: UInt32
    var flags: UInt64

    static let excludes: UInt64 = 1
    static let foldsCase: UInt64 = 2
    static let hasPath: UInt64 = 4
    static let hasQuery: UInt64 = 8

    @inline(__always)
    func has(_ flag: UInt64) -> Bool { flags & flag != 0 }
}

/// A condition on a query item.
struct LinkItemRecord: BitwiseCopyable {
    var name: Blob
    var pattern: Blob
}

/// A file that is sent from where it is, by the marks that tell whether it is still the same.
struct FileRecord: BitwiseCopyable {
    var path: Blob
    var byteCount: Int64
    var inode: UInt64
    var modifiedNanoseconds: Int64
}
