// The record of one fetch of an association file by a verifier. It has a fixed size, so a worker can store it without an
// allocation.

import HTTP
public import Posix
import Synchronization

/// One fetch of an association file by a verifier, of a host that is served.
public struct VerifierFetch {
    public var verifier = VerifierKind.none
    public var document = RequestedDocument.none
    public var status: UInt16 = 0
    /// Seconds since 1970.
    public var seconds: Int64 = 0
    /// The client. It is compared with the verifier's networks by the thread of the ledger, not by a worker.
    public var remote = RemoteAddress.unknown
    private var hostCount: UInt8 = 0
    private var tagCount: UInt8 = 0
    private var hostBytes = InlineArray<256, UInt8>(repeating: 0)
    private var tagBytes = InlineArray<72, UInt8>(repeating: 0)

    /// The longest host of DNS.
    static let hostBytesMax = 253
    /// The server's own tags are shorter.
    static let tagBytesMax = 72

    public init() {}

    /// `host` is as the client wrote it, without port and trailing dot; `entityTag` has its quotes, and is empty if no document
    /// was sent.
    public init(
        _ verifier: VerifierKind, _ document: RequestedDocument, status: UInt16, host: UnsafeRawBufferPointer,
        entityTag: UnsafeRawBufferPointer, seconds: Int64, from remote: RemoteAddress = .unknown
    ) {
        (self.verifier, self.document, self.status, self.seconds, self.remote) = (
            verifier, document, status, seconds, remote
        )
        hostCount = UInt8(min(host.count, VerifierFetch.hostBytesMax))
        for index in 0..<Int(hostCount) { hostBytes[index] = unsafe host[index] }
        if entityTag.count <= VerifierFetch.tagBytesMax {
            tagCount = UInt8(entityTag.count)
            for index in 0..<Int(tagCount) { tagBytes[index] = unsafe entityTag[index] }
        }
    }

    public var host: String {
        String(decoding: (0..<Int(hostCount)).map { Octet.lowercased(hostBytes[$0]) }, as: UTF8.self)
    }

    /// The tag of the document that was sent, or that the client had already; nil if there was none.
    public var entityTag: String? {
        tagCount == 0 ? nil : String(decoding: (0..<Int(tagCount)).map { tagBytes[$0] }, as: UTF8.self)
    }
}

// Passes verifier fetches from a worker to the thread of the ledger. When the ring is full, new ones are dropped and counted: the
// worker never waits or allocates, whatever user agents clients send.

/// A ring with one writer and one reader. Pages that were never written need no memory.
@safe final class VerifierFetchRing: @unchecked Sendable {
    private let memory: Memory
    private let slots: UnsafeMutablePointer<VerifierFetch>
    /// How many were written and taken since the start.
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)

    /// A power of two.
    static let capacity = 1_024

    init() {
        memory = Memory(byteCount: VerifierFetchRing.capacity * MemoryLayout<VerifierFetch>.stride)
        unsafe slots = memory.bytes.baseAddress!.assumingMemoryBound(to: VerifierFetch.self)
    }

    /// Called by the worker. False when there is no room.
    func push(_ fetch: VerifierFetch) -> Bool {
        let position = written.load(ordering: .relaxed)
        if position &- taken.load(ordering: .acquiring) >= VerifierFetchRing.capacity { return false }
        unsafe (slots + position % VerifierFetchRing.capacity).initialize(to: fetch)
        written.store(position &+ 1, ordering: .releasing)
        return true
    }

    /// Called by the reader: passes all fetches to `body`, the oldest first.
    func drain(_ body: (VerifierFetch) -> Void) {
        var position = taken.load(ordering: .relaxed)
        while position < written.load(ordering: .acquiring) {
            unsafe body(slots[position % VerifierFetchRing.capacity])
            position += 1
            taken.store(position, ordering: .releasing)
        }
    }
}
