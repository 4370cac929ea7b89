// One connection to the admin listener. It reads a head, gets the answer, sends it, and begins again. It never blocks, and has a
// deadline.

import HTTP
import Posix

final class AdminConnection {
    /// What it is doing.
    enum Phase {
        /// Waiting for a head, or reading one.
        case reading
        case sending
        /// Waiting for the client to close, after the last answer.
        case lingering
        case ended
    }

    let descriptor: Descriptor
    private(set) var phase = Phase.reading
    /// The end of the present phase, by the monotonic clock.
    private(set) var deadline: Int64
    /// When bytes were last sent or received.
    private(set) var lastMilliseconds: Int64
    private let limits: AdminLimits
    private var parser = RequestParser()
    private var received: [UInt8] = []
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var closesAfterwards = false

    /// Receives in one round. A client that sends endlessly continues in the next round, after the others.
    private static let receivesPerRoundMax = 16

    init(takingOwnershipOf number: Int32, limits: AdminLimits, now: Int64) {
        descriptor = Descriptor(takingOwnershipOf: number)
        self.limits = limits
        deadline = now + limits.headMilliseconds
        lastMilliseconds = now
    }

    /// Does what is possible without blocking. `answer` answers a head; `isLast` means that the connection ends after it.
    func proceed(now: Int64, isLast: Bool, answer: (RequestHead, Span<UInt8>) -> (AdminResponse, wantsBody: Bool)) {
        var receivesLeft = AdminConnection.receivesPerRoundMax
        while true {
            switch phase {
            case .reading:
                if takeHead(now: now, isLast: isLast, answer) { continue }
                guard receivesLeft > 0, receive(now) else { return }
                receivesLeft -= 1
            case .sending:
                guard send(now) else { return }
                finishAnswer(now: now)
            case .lingering:
                received.removeAll(keepingCapacity: true)
                guard receivesLeft > 0, receive(now) else { return }
                receivesLeft -= 1
            case .ended: return
            }
        }
    }

    /// Ends the connection, now if it is idle, otherwise after the present answer.
    func drain() {
        if case .reading = phase, !parser.hasBegun { phase = .ended }
        closesAfterwards = true
    }

    func end() { phase = .ended }

    /// Parses the received bytes; true when the phase has changed.
    private func takeHead(
        now: Int64, isLast: Bool, _ answer: (RequestHead, Span<UInt8>) -> (AdminResponse, wantsBody: Bool)
    ) -> Bool {
        if received.isEmpty { return false }
        let isNew = !parser.hasBegun
        let limits = HeadLimits(headBytesMax: limits.headBytesMax, requestLineBytesMax: 2_048, fieldCountMax: 64)
        switch parser.parse(received.span, limits: limits) {
        case .incomplete:
            if isNew { deadline = now + self.limits.headMilliseconds }
            return false
        case .rejected(let rejection):
            begin(
                AdminResponse(rejection.status, lines: ["malformed request"]), wantsBody: true, closes: true, now: now)
        case .complete(let head, let bytes):
            let (response, wantsBody) = answer(head, received.span.extracting(0..<bytes))
            // A body would have to be skipped, and HTTP/1.0 needs a field to stay open; no client of this listener needs either.
            let closes =
                isLast || closesAfterwards || !head.wantsKeepAlive || head.body != .none || head.minorVersion == 0
            begin(response, wantsBody: wantsBody, closes: closes, now: now)
            received.removeFirst(bytes)
        }
        parser = RequestParser()
        return true
    }

    private func begin(_ response: AdminResponse, wantsBody: Bool, closes: Bool, now: Int64) {
        closesAfterwards = closes
        outgoing = response.bytes(wantsBody: wantsBody, closes: closes)
        sent = 0
        phase = .sending
        deadline = now + limits.writeMilliseconds
    }

    private func finishAnswer(now: Int64) {
        outgoing = []
        if closesAfterwards {
            finishSending(descriptor.number)
            phase = .lingering
            deadline = now + limits.lingerMilliseconds
        } else {
            phase = .reading
            deadline = now + limits.idleMilliseconds
        }
    }

    /// Receives bytes; false when there are none now.
    private func receive(_ now: Int64) -> Bool {
        let outcome = unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let outcome = unsafe Posix.receive(descriptor.number, into: buffer)
            if case .moved(let count) = outcome {
                unsafe received.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return outcome
        }
        switch outcome {
        case .moved:
            lastMilliseconds = now
            return true
        case .wouldBlock: return false
        case .ended, .failed:
            phase = .ended
            return true
        }
    }

    /// Sends the rest; false when it would block.
    private func send(_ now: Int64) -> Bool {
        while sent < outgoing.count {
            let outcome = unsafe outgoing.withUnsafeBytes {
                unsafe transmit(descriptor.number, UnsafeRawBufferPointer(rebasing: $0[sent...]))
            }
            switch outcome {
            case .moved(let count):
                sent += count
                lastMilliseconds = now
            case .wouldBlock: return false
            case .ended, .failed:
                phase = .ended
                return false
            }
        }
        return true
    }
}
