// One connection of a service. It reads a head and its body, gets the answer, sends it, and begins again. It never blocks, and has a
// deadline.

import HTTP
import Posix

final class ServiceConnection {
    /// What it is doing.
    enum Phase {
        /// Waiting for a head, or reading one.
        case readingHead
        case readingBody
        /// Waiting for the answer of a handler on another thread.
        case waiting
        case sending
        /// Waiting for the client to close, after the last answer.
        case lingering
        case ended

        var interest: Poller.Interest {
            switch self {
            case .readingHead, .readingBody, .lingering, .ended: .readable
            // epoll reports a closed connection anyway. A client that has only finished sending still waits for its answer.
            case .waiting: []
            case .sending: .writable
            }
        }
    }

    let descriptor: Descriptor
    private(set) var phase = Phase.readingHead
    /// The end of the present phase, by the monotonic clock.
    private(set) var deadline: Int64
    /// When bytes were last sent or received.
    private(set) var lastMilliseconds: Int64
    private let limits: ServiceLimits
    private var parser = RequestParser()
    private var received: [UInt8] = []
    /// The request whose body is being read.
    private var current: (route: Route, request: ServiceRequest, body: BodyReader)?
    private var wantsBody = true
    private var outgoing: [UInt8] = []
    private var sent = 0
    private var closesAfterwards = false
    private var hasAnswered = false

    /// What one round may do. A client that sends endlessly continues in the next round, after the others.
    private static let receivesPerRoundMax = 16
    private static let headsPerRoundMax = 8
    /// An answer that is long has more time, at this rate.
    private static let bytesPerMillisecondMin = 64

    init(takingOwnershipOf number: Int32, limits: ServiceLimits, now: Int64) {
        descriptor = Descriptor(takingOwnershipOf: number)
        self.limits = limits
        deadline = now + limits.headMilliseconds
        lastMilliseconds = now
    }

    /// Does what is possible without blocking.
    /// - Parameters:
    ///   - isLast: whether the connection ends after the next answer.
    ///   - ask: has a handler called by another thread.
    /// - Returns: whether it can continue at once, with bytes that it has received.
    func proceed(now: Int64, isLast: Bool, _ router: Router, ask: (ServiceCall) -> Void) -> Bool {
        if isLast { closesAfterwards = true }
        var (receivesLeft, headsLeft) = (ServiceConnection.receivesPerRoundMax, ServiceConnection.headsPerRoundMax)
        while true {
            switch phase {
            case .readingHead, .readingBody:
                if phase == .readingHead, headsLeft == 0 { return !received.isEmpty }
                if phase == .readingHead ? takeHead(now, router, ask) : takeBody(now, ask) {
                    headsLeft -= phase == .readingBody ? 0 : 1
                    continue
                }
                guard receivesLeft > 0, receive(now) else { return false }
                receivesLeft -= 1
            case .waiting: return false
            case .sending:
                guard send(now) else { return false }
                finishAnswer(now)
            case .lingering:
                received.removeAll(keepingCapacity: true)
                guard receivesLeft > 0, receive(now) else { return false }
                receivesLeft -= 1
            case .ended: return false
            }
        }
    }

    /// Takes the answer of a handler; nil if too many clients wait for one.
    func take(_ response: ServiceResponse?, now: Int64) {
        guard phase == .waiting else { return }
        begin(response ?? ServiceConnection.busy, now)
    }

    /// To be called at the deadline. A client that waits for a handler is told; any other connection ends.
    /// - Parameter hasBegun: whether the handler has, and so may still do what it was asked for.
    func expire(now: Int64, hasBegun: Bool) {
        if phase != .waiting { return end() }
        closesAfterwards = true
        let late = ServiceResponse(
            .serviceUnavailable, lines: ["not done in time, and may still be; look at the result before you try again"])
        begin(hasBegun ? late : ServiceConnection.busy, now)
    }

    private static var busy: ServiceResponse {
        var response = ServiceResponse(.serviceUnavailable, lines: ["too busy; try again"])
        response.fields.add("retry-after", "5")
        return response
    }

    /// Ends the connection, now if it is idle, otherwise after the next answer. The first request of a client is on its way.
    func drain() {
        if case .readingHead = phase, !parser.hasBegun, hasAnswered { phase = .ended }
        closesAfterwards = true
    }

    func end() { phase = .ended }

    /// Parses the received bytes; true when the phase has changed.
    private func takeHead(_ now: Int64, _ router: Router, _ ask: (ServiceCall) -> Void) -> Bool {
        if received.isEmpty { return false }
        let isNew = !parser.hasBegun
        let limits = HeadLimits(headBytesMax: limits.headBytesMax, requestLineBytesMax: 2_048, fieldCountMax: 64)
        switch parser.parse(received.span, limits: limits) {
        case .incomplete:
            if isNew { deadline = now + self.limits.headMilliseconds }
            return false
        case .rejected(let rejection):
            wantsBody = parser.headSoFar.method != .head
            refuse(rejection, now)
        case .complete(let head, let count):
            let request = ServiceRequest(head, received.span.extracting(0..<count))
            received.removeFirst(count)
            // HTTP/1.0 needs a field to stay open, which no client of a service uses.
            if !head.wantsKeepAlive || head.minorVersion == 0 { closesAfterwards = true }
            wantsBody = head.method != .head
            switch router.decide(request) {
            case .answer(let response):
                // A body would have to be skipped.
                if head.body != .none { closesAfterwards = true }
                begin(response, now)
            case .handle(let route, let request): take(request, head, route, now, ask)
            }
        }
        parser = RequestParser()
        return true
    }

    private func take(
        _ request: ServiceRequest, _ head: RequestHead, _ route: Route, _ now: Int64, _ ask: (ServiceCall) -> Void
    ) {
        guard let body = BodyReader(head.body, bytesMax: UInt64(route.bodyBytesMax)) else {
            return handOver(request, route, now, ask)
        }
        if route.bodyBytesMax == 0 {
            closesAfterwards = true
            return handOver(request, route, now, ask)
        }
        if body.isTooLong { return refuse(.bodyTooLong, now) }
        current = (route, request, body)
        (phase, deadline) = (.readingBody, now + limits.bodyMilliseconds)
        if head.expectsContinue, received.isEmpty { sendContinue() }
    }

    /// Left out where it does not fit into the socket's buffer: the client does not wait for it forever (RFC 9110 §10.1.1).
    private func sendContinue() {
        let line = StatusLine.goOn
        switch unsafe line.withUnsafeBytes({ unsafe transmit(descriptor.number, $0) }) {
        case .moved(line.count), .wouldBlock: break
        case .moved, .ended, .failed: end()
        }
    }

    /// Reads the received bytes of a body; true when the phase has changed.
    private func takeBody(_ now: Int64, _ ask: (ServiceCall) -> Void) -> Bool {
        guard var next = current, !received.isEmpty else { return false }
        current = nil
        switch next.body.read(received.span, into: &next.request.body) {
        case .incomplete:
            received.removeAll(keepingCapacity: true)
            current = next
            return false
        case .rejected(let rejection): refuse(rejection, now)
        case .complete(let count):
            received.removeFirst(count)
            handOver(next.request, next.route, now, ask)
        }
        return true
    }

    private func handOver(_ request: ServiceRequest, _ route: Route, _ now: Int64, _ ask: (ServiceCall) -> Void) {
        if route.isQuick { return begin(route.handler(request), now) }
        (phase, deadline) = (.waiting, now + limits.answerMilliseconds)
        ask(ServiceCall(request, route.handler))
    }

    private func refuse(_ rejection: Rejection, _ now: Int64) {
        closesAfterwards = true
        begin(ServiceResponse(rejection.status, lines: ["malformed request"]), now)
    }

    private func begin(_ response: ServiceResponse, _ now: Int64) {
        outgoing = response.encoded(wantsBody: wantsBody, closes: closesAfterwards)
        sent = 0
        let time = limits.writeMilliseconds + Int64(outgoing.count / ServiceConnection.bytesPerMillisecondMin)
        (phase, deadline) = (.sending, now + time)
    }

    private func finishAnswer(_ now: Int64) {
        outgoing = []
        (wantsBody, hasAnswered) = (true, true)
        if closesAfterwards {
            finishSending(descriptor.number)
            (phase, deadline) = (.lingering, now + limits.lingerMilliseconds)
        } else {
            (phase, deadline) = (.readingHead, now + limits.idleMilliseconds)
        }
    }

    /// Receives bytes; false when there are none now.
    private func receive(_ now: Int64) -> Bool {
        let outcome = unsafe withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
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

/// A request that a handler answers on another thread. Each is a question of its own.
final class ServiceCall: Hashable, Sendable {
    let request: ServiceRequest
    let handler: @Sendable (ServiceRequest) -> ServiceResponse

    init(_ request: ServiceRequest, _ handler: @escaping @Sendable (ServiceRequest) -> ServiceResponse) {
        (self.request, self.handler) = (request, handler)
    }

    static func == (left: ServiceCall, right: ServiceCall) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
