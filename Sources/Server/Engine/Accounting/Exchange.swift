// The data of a request that is needed to record it when its answer has been sent. No answer depends on it. During a turn it
// points to the received bytes; an exchange that outlasts the turn is copied with its bytes.

import HTTP
import Posix
import Telemetry

/// A request and its answer.
@safe struct Exchange {
    /// The first byte of the head; nil if no head was read.
    var head: UnsafeRawPointer?
    var method = ByteRange.absent
    var host = ByteRange.absent
    var path = ByteRange.absent
    var query = ByteRange.absent
    var userAgent = ByteRange.absent
    var referer = ByteRange.absent
    /// Sent by a trusted proxy.
    var traceParent = ByteRange.absent
    var requestID = ByteRange.absent
    var minorVersion: UInt8 = 1
    var verifier = VerifierKind.none
    var document = RequestedDocument.none
    var isAnswered = false
    var status: UInt16 = 0
    var bodyBytes = 0
    /// When the head was complete, by the exact monotonic clock.
    var beganMicroseconds: Int64
    /// The client.
    var remote: RemoteAddress

    /// An exchange without a head.
    init(from remote: RemoteAddress, at microseconds: Int64) {
        self.remote = remote
        beganMicroseconds = microseconds
    }

    /// An exchange with a head, or the parsed part of one.
    init(_ head: RequestHead, _ bytes: Span<UInt8>, from remote: RemoteAddress, at microseconds: Int64) {
        self.init(from: remote, at: microseconds)
        unsafe self.head = bytes.withUnsafeBytes { $0.baseAddress }
        method = head.methodName
        host = head.host
        path = Exchange.target(head, bytes)
        query = head.query
        userAgent = Exchange.first(head.userAgent, bytes)
        referer = Exchange.first(head.referer, bytes)
        minorVersion = head.minorVersion
    }

    /// Stores the trace fields of a trusted proxy.
    mutating func noteTrace(_ head: RequestHead, _ bytes: Span<UInt8>) {
        traceParent = Exchange.first(head.traceParent, bytes)
        requestID = Exchange.first(head.requestID, bytes)
    }

    /// The path as written, or another form of target: `*`, or an authority (RFC 9112 §3.2).
    private static func target(_ head: RequestHead, _ bytes: Span<UInt8>) -> ByteRange {
        guard head.isAboutServer || head.method == .connect, head.path.isPresent else { return head.path }
        let start = Int(head.path.start)
        return ByteRange(start, bytes.firstIndex(of: UInt8(ascii: " "), from: start) ?? start)
    }

    /// The first value of a field. Between the values of a repeated field there are other lines.
    private static func first(_ field: FieldValue, _ bytes: Span<UInt8>) -> ByteRange {
        guard field.isRepeated else { return field.range }
        let (start, end) = (Int(field.range.start), Int(field.range.end))
        return ByteRange(start, bytes.firstIndex(of: UInt8(ascii: "\r"), from: start, to: end) ?? end)
    }

    /// Bytes of the head; without a start if the range is absent.
    func bytes(_ range: ByteRange) -> UnsafeRawBufferPointer {
        guard let head = unsafe head, range.isPresent else { return unsafe AccessEntry.absent }
        return unsafe UnsafeRawBufferPointer(start: head + Int(range.start), count: range.count)
    }

    /// The length of the part of the head that the ranges refer to.
    var headCount: Int {
        if unsafe head == nil { return 0 }
        var end: UInt32 = 0
        for range in [method, host, path, query, userAgent, referer, traceParent, requestID]
        where range.isPresent { end = max(end, range.end) }
        return Int(end)
    }
}

/// Exchanges that outlast a turn, copied with the bytes they refer to. The owner must call `release`.
@safe struct HeldExchanges {
    private var memory: UnsafeMutableRawPointer?
    private(set) var count = 0
    private(set) var byteCount = 0

    init() {}

    init(copying exchanges: UnsafeBufferPointer<Exchange>) {
        let listBytes = exchanges.count * MemoryLayout<Exchange>.stride
        byteCount = unsafe exchanges.reduce(listBytes) { $0 + $1.headCount }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        let list = unsafe memory.bindMemory(to: Exchange.self, capacity: exchanges.count)
        var place = unsafe memory + listBytes
        for index in exchanges.indices {
            let exchange = unsafe exchanges[index]
            unsafe (list + index).initialize(to: exchange)
            guard let head = unsafe exchange.head else { continue }
            unsafe place.copyMemory(from: head, byteCount: exchange.headCount)
            unsafe list[index].head = UnsafeRawPointer(place)
            unsafe place += exchange.headCount
        }
        unsafe self.memory = memory
        count = exchanges.count
    }

    subscript(index: Int) -> Exchange {
        unsafe memory!.assumingMemoryBound(to: Exchange.self)[index]
    }

    mutating func release() {
        unsafe memory?.deallocate()
        unsafe memory = nil
        (count, byteCount) = (0, 0)
    }
}

/// The exchanges of the connection that is being served, in a list of fixed size: those whose answers are in the output, and
/// perhaps a last one without an answer. Between two turns the list is empty.
@safe struct Exchanges: ~Copyable {
    private let list: UnsafeMutablePointer<Exchange>
    private(set) var count = 0
    /// The memory of the exchanges that were held between two turns.
    private var held = HeldExchanges()

    /// The most requests of one turn, and one more.
    static let capacity = Worker.requestsPerTurnMax + 1

    init() { unsafe list = .allocate(capacity: Exchanges.capacity) }

    deinit { unsafe list.deallocate() }

    var isEmpty: Bool { count == 0 }
    /// Whether the last one has no answer yet.
    var isOpen: Bool { unsafe count > 0 && !list[count - 1].isAnswered }
    /// How many have an answer.
    var answeredCount: Int { isOpen ? count - 1 : count }

    var last: UnsafeMutablePointer<Exchange> { unsafe list + (count - 1) }

    subscript(index: Int) -> Exchange { unsafe list[index] }

    mutating func append(_ exchange: Exchange) {
        precondition(count < Exchanges.capacity, "there is room for another exchange")
        unsafe (list + count).initialize(to: exchange)
        count += 1
    }

    /// Stores the answer to the last one.
    func answer(status: UInt16, bodyBytes: Int) {
        unsafe last.pointee.status = status
        unsafe last.pointee.bodyBytes = bodyBytes
        unsafe last.pointee.isAnswered = true
    }

    /// Subtracts unsent bytes from the answers, beginning with the last one.
    func subtract(_ unsent: Int) {
        var rest = unsent
        for index in stride(from: answeredCount - 1, through: 0, by: -1) where rest > 0 {
            let bytes = unsafe min(rest, list[index].bodyBytes)
            unsafe list[index].bodyBytes -= bytes
            rest -= bytes
        }
    }

    mutating func removeAnswered() {
        if isOpen {
            unsafe list[0] = list[count - 1]
            count = 1
        } else {
            removeAll()
        }
    }

    mutating func removeAll() {
        count = 0
        held.release()
    }

    /// Removes all, and returns copies with the bytes they refer to.
    mutating func takeAll() -> HeldExchanges {
        let taken = unsafe HeldExchanges(copying: UnsafeBufferPointer(start: list, count: count))
        removeAll()
        return taken
    }

    /// Takes back held exchanges.
    mutating func resume(_ held: HeldExchanges) {
        precondition(count == 0, "a turn begins without exchanges")
        for index in 0..<held.count { append(held[index]) }
        self.held = held
    }
}
