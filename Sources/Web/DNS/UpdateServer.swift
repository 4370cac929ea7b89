// A primary name server that takes signed updates of its zones (RFC 2136). It finds the zone of a name by its SOA record, and sends
// updates over TCP only. Both changes can be repeated: adding a record that is there, and removing one that is not, succeed.

public import Posix

/// A name server at which this program may change TXT records.
public struct UpdateServer: Sendable {
    public let address: SocketAddress
    public let key: TransactionKey
    /// Nil if the zone of each name is looked up at the server.
    private let fixedZone: DomainName?
    /// The limit for an update, and for one lookup at the server.
    private let milliseconds: Int

    public init(_ address: SocketAddress, key: TransactionKey, zone: DomainName? = nil, milliseconds: Int = 10_000) {
        (self.address, self.key, self.fixedZone, self.milliseconds) = (address, key, zone, milliseconds)
    }

    /// Adds a record to those of a name.
    public func add(_ text: [UInt8], to name: DomainName) throws(UpdateFailure) { try send(.add, text, name) }

    /// Removes exactly this record of a name.
    public func remove(_ text: [UInt8], from name: DomainName) throws(UpdateFailure) { try send(.remove, text, name) }

    /// Whether the server answers with this record.
    public func shows(_ text: [UInt8], at name: DomainName) throws(UpdateFailure) -> Bool {
        switch resolver.lookUp(.txt, of: name) {
        case .found(let records, _): return records.contains(.text(text))
        case .noData, .noSuchName: return false
        case .failed(let failure): throw self.failure(.lookup(failure), name)
        }
    }

    /// The zone that contains a name: that of the nearest parent with an SOA record.
    public func zone(of name: DomainName) throws(UpdateFailure) -> DomainName {
        if let fixedZone, !name.isInside(fixedZone) { throw failure(.outside(zone: fixedZone), name) }
        var next: DomainName? = fixedZone ?? name
        while let candidate = next {
            switch resolver.lookUp(.soa, of: candidate) {
            case .found(_, let aliases) where aliases.isEmpty: return candidate
            case .found, .noData, .noSuchName: next = fixedZone == nil ? candidate.parent : nil
            case .failed(let failure):
                if case .refused = failure.kind { throw self.failure(.noZone, name) }
                throw self.failure(.lookup(failure), name)
            }
        }
        throw failure(.noZone, name)
    }

    private var resolver: Resolver {
        var resolver = Resolver()
        (resolver.servers, resolver.totalMilliseconds) = ([address], milliseconds)
        return resolver
    }

    private func send(_ change: UpdateMessage.Change, _ text: [UInt8], _ name: DomainName) throws(UpdateFailure) {
        let message = UpdateMessage(change: change, text: text, name: name, zone: try zone(of: name))
        let id = UInt16.random(in: .min ... .max)
        guard let bytes = message.bytes(id: id) else { throw failure(.notEncodable, name) }
        let request = key.sign(bytes, now: Clock.wallSeconds())
        let stream = NameServerStream(
            server: address, endMilliseconds: Clock.monotonicMilliseconds() + Int64(milliseconds))
        let answer: [UInt8]?
        do throws(SystemError) { answer = try stream.answer(request.bytes) } catch {
            throw failure(error.isTimeOut ? .timedOut : .unreachable(error), name)
        }
        guard let answer else { throw failure(.closed, name) }
        do throws(UpdateFailure.Kind) {
            try UpdateMessage.check(
                answer, id: id, key: key, requestCode: request.code, now: Clock.wallSeconds())
        } catch {
            throw failure(error, name)
        }
    }

    private func failure(_ kind: UpdateFailure.Kind, _ name: DomainName) -> UpdateFailure {
        UpdateFailure(kind: kind, name: name, server: "\(address)", key: key.name)
    }
}

/// Why a record could not be changed or looked up at its primary name server.
public struct UpdateFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let kind: Kind
    /// Of the record.
    let name: DomainName
    let server: String
    let key: DomainName

    public enum Kind: Error, Hashable, Sendable {
        /// BADKEY.
        case unknownKey
        /// BADSIG.
        case otherSecret
        /// BADTIME, or an answer that is too old or from the future. Positive if the server's clock is ahead.
        case clock(differenceSeconds: Int64)
        /// A success without a signature.
        case unsigned
        /// The signature of the answer is not one of the key for this request.
        case forged
        /// REFUSED.
        case refused
        /// NOTAUTH or NOTZONE.
        case notPrimary
        /// Another code of RFC 6895 §2.3.
        case code(Int)
        case noZone
        case outside(zone: DomainName)
        case lookup(DNSFailure)
        case unreachable(SystemError)
        case timedOut
        case closed
        case malformed(String)
        case notEncodable
    }

    public var description: String { "cannot update \(name) at name server \(server): \(reason)" }

    private var reason: String {
        switch kind {
        case .unknownKey: "it does not know the key \(key) (BADKEY); compare the key's name and algorithm on both sides"
        case .otherSecret: "it has another secret for the key \(key) (BADSIG); compare the secret on both sides"
        case .clock(let seconds):
            "its clock is \(abs(seconds)) seconds \(seconds < 0 ? "behind" : "ahead of") this machine's (BADTIME); "
                + "synchronize both clocks"
        case .unsigned: "its answer is not signed, so it may be forged; configure the key \(key) there"
        case .forged:
            "its answer has a wrong signature, so it may be forged; compare the secret of \(key) on both sides"
        case .refused: "it does not allow the key \(key) to change this TXT record (REFUSED); extend its update policy"
        case .notPrimary: "it is not the primary server of the zone (NOTAUTH); name the primary server"
        case .code(let code): "it rejects the update with code \(code); its log says why"
        case .noZone: "it has no zone that contains this name; name the primary server of the zone"
        case .outside(let zone): "the name is not in the zone \(zone)"
        case .lookup(let failure): failure.description
        case .unreachable(let error): "cannot connect over TCP: \(error.reason)"
        case .timedOut: "it did not answer in time"
        case .closed: "it closed the connection without an answer"
        case .malformed(let reason): "its answer is malformed: \(reason)"
        case .notEncodable: "the name or the text is too long"
        }
    }
}
