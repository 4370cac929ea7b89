// What is remembered of a request until its answer is the kernel's: for the records alone, nothing is answered from it. The
// bytes stay where they were received for as long as a turn lasts; an exchange that outlasts it is copied with them.

import HTTP
import Posix
import Telemetry

/// A request and what became of it.
struct Exchange {
    /// The first byte of its head; nil where nothing of it is known.
    var head: UnsafeRawPointer?
    var method = ByteRange.absent
    var host = ByteRange.absent
    var path = ByteRange.absent
    var query = ByteRange.absent
    var userAgent = ByteRange.absent
    var referer = ByteRange.absent
    /// Of a trusted front.
    var traceParent = ByteRange.absent
    var requestID = ByteRange.absent
    var minorVersion: UInt8 = 1
    var verifier = VerifierKind.none
    var document = DocumentKind.none
    var isAnswered = false
    var status: UInt16 = 0
    var bodyBytes = 0
    /// When the head was here, by the exact monotonic clock.
    var beganMicroseconds: Int64
    /// Who asked.
    var remote: RemoteAddress

    /// Nothing is known but who came.
    init(from remote: RemoteAddress, at microseconds: Int64) {
        self.remote = remote
        beganMicroseconds = microseconds
    }

    /// A head that was understood, or as much of it as was.
    init(_ head: RequestHead, _ bytes: Span<UInt8>, from remote: RemoteAddress, at microseconds: Int64) {
        self.init(from: remote, at: microseconds)
        self.head = bytes.withUnsafeBytes { $0.baseAddress }
        method = head.methodName
        host = head.host
        path = Exchange.target(head, bytes)
        query = head.query
        userAgent = Exchange.first(head.userAgent, bytes)
        referer = Exchange.first(head.referer, bytes)
        minorVersion = head.minorVersion
    }

    /// Takes over by which names a front knows the request.
    mutating func noteTrace(_ head: RequestHead, _ bytes: Span<UInt8>) {
        traceParent = Exchange.first(head.traceParent, bytes)
        requestID = Exchange.first(head.requestID, bytes)
    }

    /// The path as written, and in its place what else a target may be: `*`, or an authority (RFC 9112 §3.2).
    private static func target(_ head: RequestHead, _ bytes: Span<UInt8>) -> ByteRange {
        guard head.isAboutServer || head.method == .connect, head.path.isPresent else { return head.path }
        let start = Int(head.path.start)
        return ByteRange(start, bytes.firstIndex(of: UInt8(ascii: " "), from: start) ?? start)
    }

    /// Where a field stood several times its values lie apart, and what is between them is not its.
    private static func first(_ field: FieldValue, _ bytes: Span<UInt8>) -> ByteRange {
        guard field.isRepeated else { return field.range }
        let (start, end) = (Int(field.range.start), Int(field.range.end))
        return ByteRange(start, bytes.firstIndex(of: UInt8(ascii: "\r"), from: start, to: end) ?? end)
    }

    /// Bytes of the head; without a start where there are none.
    func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        guard let head, range.isPresent else { return AccessEntry.absent }
        return UnsafeRawBufferPointer(start: head + Int(range.start), count: range.count)
    }

    /// How much of the head is referred to.
    var headCount: Int {
        if head == nil { return 0 }
        var end: UInt32 = 0
        for range in [method, host, path, query, userAgent, referer, traceParent, requestID]
        where range.isPresent { end = max(end, range.end) }
        return Int(end)
    }
}

/// Exchanges that outlast a turn, with what they refer to, in memory of their own. Its owner gives the memory back.
struct HeldExchanges {
    private var memory: UnsafeMutableRawPointer?
    private(set) var count = 0
    private(set) var byteCount = 0

    init() {}

    init(copying exchanges: UnsafeBufferPointer<Exchange>) {
        let listBytes = exchanges.count * MemoryLayout<Exchange>.stride
        byteCount = exchanges.reduce(listBytes) { $0 + $1.headCount }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        let list = memory.bindMemory(to: Exchange.self, capacity: exchanges.count)
        var place = memory + listBytes
        for (index, exchange) in exchanges.enumerated() {
            (list + index).initialize(to: exchange)
            guard let head = exchange.head else { continue }
            place.copyMemory(from: head, byteCount: exchange.headCount)
            list[index].head = UnsafeRawPointer(place)
            place += exchange.headCount
        }
        self.memory = memory
        count = exchanges.count
    }

    subscript(index: Int) -> Exchange {
        memory!.assumingMemoryBound(to: Exchange.self)[index]
    }

    mutating func release() {
        memory?.deallocate()
        memory = nil
        (count, byteCount) = (0, 0)
    }
}
