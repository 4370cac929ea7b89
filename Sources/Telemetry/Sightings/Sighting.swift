// A verifier was here: what is to be remembered of one fetch of an association file, in a record of fixed size that a
// worker can leave behind without memory from the heap.

import Posix
import Synchronization

/// One fetch of an association file by a verifier, of a host that is served.
public struct Sighting {
    public var verifier = VerifierKind.none
    public var document = RequestedDocument.none
    public var status: UInt16 = 0
    /// Seconds since 1970.
    public var seconds: Int64 = 0
    private var hostCount: UInt8 = 0
    private var tagCount: UInt8 = 0
    private var hostBytes = InlineArray<256, UInt8>(repeating: 0)
    private var tagBytes = InlineArray<72, UInt8>(repeating: 0)

    /// What DNS can carry; nothing longer is served.
    static let hostBytesMax = 253
    /// Our own tags are shorter.
    static let tagBytesMax = 72

    public init() {}

    /// `host` as the client wrote it, without port and trailing dot; `entityTag` with its quotes, empty where no document
    /// was sent.
    public init(
        _ verifier: VerifierKind, _ document: RequestedDocument, status: UInt16, host: UnsafeRawBufferPointer,
        entityTag: UnsafeRawBufferPointer, seconds: Int64
    ) {
        self.verifier = verifier
        self.document = document
        self.status = status
        self.seconds = seconds
        hostCount = UInt8(min(host.count, Sighting.hostBytesMax))
        for index in 0..<Int(hostCount) { hostBytes[index] = unsafe host[index] }
        if entityTag.count <= Sighting.tagBytesMax {
            tagCount = UInt8(entityTag.count)
            for index in 0..<Int(tagCount) { tagBytes[index] = unsafe entityTag[index] }
        }
    }

    /// The host in lower case.
    public var host: String {
        String(
            decoding: (0..<Int(hostCount)).map { index in
                let byte = hostBytes[index]
                return byte &- 0x41 < 26 ? byte | 0x20 : byte
            }, as: UTF8.self)
    }

    /// The tag of the document that was sent, or that the client had already; nil where there was none.
    public var entityTag: String? {
        tagCount == 0 ? nil : String(decoding: (0..<Int(tagCount)).map { tagBytes[$0] }, as: UTF8.self)
    }
}

// Sightings on their way from the one worker that makes them to the one thread that keeps them. When nobody takes them
// away the newest are dropped and counted: whatever clients call themselves, a worker never waits and never takes memory.

/// A ring with one writer and one reader. Pages that were never written take no memory.
@safe final class SightingRing: @unchecked Sendable {
    private let memory: Memory
    private let slots: UnsafeMutablePointer<Sighting>
    /// How many were ever written, and taken.
    private let written = Atomic<Int>(0)
    private let taken = Atomic<Int>(0)

    /// A power of two.
    static let capacity = 1_024

    init() {
        memory = Memory(byteCount: SightingRing.capacity * MemoryLayout<Sighting>.stride)
        unsafe slots = memory.bytes.baseAddress!.assumingMemoryBound(to: Sighting.self)
    }

    /// The writer's side. False when there is no room.
    func push(_ sighting: Sighting) -> Bool {
        let position = written.load(ordering: .relaxed)
        if position &- taken.load(ordering: .acquiring) >= SightingRing.capacity { return false }
        unsafe (slots + position % SightingRing.capacity).initialize(to: sighting)
        written.store(position &+ 1, ordering: .releasing)
        return true
    }

    /// The reader's side: gives all that are there to `body`, the oldest first.
    func drain(_ body: (Sighting) -> Void) {
        var position = taken.load(ordering: .relaxed)
        while position < written.load(ordering: .acquiring) {
            unsafe body(slots[position % SightingRing.capacity])
            position += 1
            taken.store(position, ordering: .releasing)
        }
    }
}
