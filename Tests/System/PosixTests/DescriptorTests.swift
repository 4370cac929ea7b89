// A descriptor is closed once, by its owner.

import Glibc
import Posix
import Testing

struct DescriptorTests {
    @Test func `closes a descriptor with its owner, unless it was released`() throws {
        var pair: [Int32] = [0, 0]
        try #require(pipe(&pair) == 0)
        do {
            let reader = Descriptor(takingOwnershipOf: pair[0])
            let kept = Descriptor(takingOwnershipOf: pair[1])
            #expect(fcntl(reader.number, F_GETFD) >= 0)
            #expect(kept.release() == pair[1])
        }
        // The write end was released, so it is still open; without a reader, writing fails.
        signal(SIGPIPE, SIG_IGN)
        #expect(write(pair[1], "x", 1) == -1)
        #expect(errno == EPIPE)
        closeDescriptor(pair[1])
    }

    @Test func `traps when a descriptor is closed twice`() async {
        await #expect(processExitsWith: .failure) {
            var pair: [Int32] = [0, 0]
            guard pipe(&pair) == 0 else { return }
            closeDescriptor(pair[0])
            closeDescriptor(pair[0])
        }
    }
}
