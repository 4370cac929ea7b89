// Connections that a front has made for a client: who it is, as far as the front is trusted. At the beginning of a connection
// (the PROXY protocol), where every byte that follows is the client's; or with each request, in fields.

import HTTP
import Posix
import TLS
import Telemetry

extension Worker {
    /// Whether somebody may speak for others.
    func isTrusted(_ remote: RemoteAddress) -> Bool {
        switch remote.family {
        case .unknown: false
        case .local: settings.fronts.trusted.includesLocal
        case .ipv4: settings.fronts.trusted.contains(ClientAddress(ipv4: UInt32(truncatingIfNeeded: remote.low)))
        case .ipv6: settings.fronts.trusted.contains(ClientAddress(ipv6: remote.high, remote.low))
        }
    }

    /// Goes on with the header of a front: with what was kept of it, and with so many bytes received behind that.
    mutating func receiveProxyHeader(_ index: Int32, _ receivedCount: Int) {
        let slot = table.slots + Int(index)
        let count = slot.pointee.held.count + receivedCount
        input.copyMemory(from: slot.pointee.held.bytes)
        slot.pointee.held.release()
        switch ProxyHeader.read(Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: input[..<count]))) {
        case .incomplete:
            hold(index, 0..<count)
            wait(index, for: .readable)
        case .rejected:
            recorder.counters.add(to: .connectionsRefused(.notFromFront))
            close(index, .refused)
        case .complete(let header):
            if let client = header.client {
                guard take(client, index) else { return }
            } else {
                // Whose requests they are is not said, so nobody's word about them is taken.
                slot.pointee.isFront = false
            }
            goOn(index, UnsafeRawBufferPointer(rebasing: input[header.byteCount..<count]))
        }
    }

    /// From now on the connection is the client's. False when the client has too many of them.
    private mutating func take(_ client: ClientAddress, _ index: Int32) -> Bool {
        let slot = table.slots + Int(index)
        let remote = RemoteAddress(client)
        slot.pointee.remote = remote
        slot.pointee.isFront = isTrusted(remote)
        if slot.pointee.isFront { return true }
        guard let addressCounts else { return true }
        let weight = addressCounts.weight(inHandshake: slot.pointee.isSecure)
        if addressCounts.admit(remote, weight: weight) {
            slot.pointee.addressWeight = weight
            return true
        }
        recorder.counters.add(to: .connectionsRefused(.tooManyFromAddress))
        if slot.pointee.isSecure {
            close(index, .refused)
        } else {
            slot.pointee.phase = .idle
            slot.pointee.closeReason = .refused
            output.clear()
            exchanges.append(Exchange(from: remote, at: roundBeganMicroseconds))
            append(Response(status: .serviceUnavailable, closes: true))
            slot.pointee.ending = .linger
            settle(index, unused: 0..<0)
        }
        return false
    }

    /// What follows is what any other connection begins with.
    private mutating func goOn(_ index: Int32, _ rest: UnsafeRawBufferPointer) {
        let slot = table.slots + Int(index)
        if slot.pointee.isSecure {
            if !makeRoomForHandshake() {
                recorder.counters.add(to: .connectionsRefused(.tooManyHandshakes))
                return close(index, .refused)
            }
            guard beginHandshake(index), let session = slot.pointee.session else { return }
            if rest.isEmpty { return wait(index, for: .readable) }
            // What is in the records will be put where they are now.
            precondition(rest.count <= records.count, "what is behind a header came with it")
            records.copyMemory(from: rest)
            goOn(index, session, recordBytes: rest.count)
        } else {
            slot.pointee.phase = .idle
            if rest.isEmpty { return wait(index, for: .readable) }
            slot.pointee.held = HeldBytes(copying: rest)
            processHeld(index, andReceived: 0)
        }
    }

    /// Believes what a front says about a request. False when the host that it names is none.
    func hear(_ head: inout RequestHead, _ bytes: Span<UInt8>, _ remote: inout RemoteAddress) -> Bool {
        guard let facts = ForwardedFacts(head, bytes, settings.fronts) else { return false }
        if let client = facts.client { remote = RemoteAddress(client) }
        head.cameSecurely = facts.isSecure == true
        if facts.host.isPresent {
            head.host = facts.host
            head.hostIsForwarded = true
        }
        return true
    }
}

extension RemoteAddress {
    init(_ client: ClientAddress) {
        self.init(family: client.isIPv6 ? .ipv6 : .ipv4, high: client.high, low: client.low, port: client.port)
    }
}
