// Updates of a zone (RFC 2136): one TXT record is added to those of its name, or exactly this record is removed. Nothing else
// changes, so several programs can keep records of the same name at once.

/// A change of one TXT record, as a message to the zone's primary name server.
struct UpdateMessage: Hashable, Sendable {
    enum Change: Hashable, Sendable, CaseIterable {
        case add, remove
    }

    let change: Change
    let text: [UInt8]
    let name: DomainName
    let zone: DomainName

    /// Short, because the record is there for a minute and resolvers may keep it for as long.
    private static let lifeSeconds: UInt8 = 60
    /// Of one string in a TXT record.
    static let textBytesMax = 255

    /// Nil if it cannot be encoded: a name may come from an answer.
    func bytes(id: UInt16) -> [UInt8]? {
        guard let zone = zone.encoded, let name = name.encoded, text.count <= UpdateMessage.textBytesMax else {
            return nil
        }
        // The opcode UPDATE; one zone, no conditions, one change, no additional records (RFC 2136 §2.2).
        var bytes = ResolverState.bytes(id) + [0x28, 0, 0, 1, 0, 0, 0, 1, 0, 0]
        // SOA, IN.
        bytes += zone + [0, 6, 0, 1]
        // TXT, then IN to add, or NONE to remove (RFC 2136 §2.5.1, §2.5.4).
        bytes += name + [0, 16]
        bytes += change == .add ? [0, 1, 0, 0, 0, UpdateMessage.lifeSeconds] : [0, 254, 0, 0, 0, 0]
        bytes += ResolverState.bytes(UInt16(text.count + 1)) + [UInt8(text.count)] + text
        return bytes
    }

    /// Judges the answer to a signed update. Returns if it was carried out.
    /// - Parameter requestCode: of the request's signature.
    /// - Parameter now: seconds since 1970.
    static func check(
        _ packet: [UInt8], id: UInt16, key: TransactionKey, requestCode: [UInt8], now: Int64
    ) throws(UpdateFailure.Kind) {
        guard packet.count >= headerBytes else { throw .malformed("it has \(packet.count) bytes") }
        let flags = DNSMessage.number(packet, 2)
        guard DNSMessage.number(packet, 0) == id, flags & 0xF800 == 0xA800 else {
            throw .malformed("it answers another request")
        }
        let code = Int(flags & 0xF)
        let answer: (message: [UInt8], signature: TransactionSignature)?
        do throws(DNSMalformation) { answer = try TransactionSignature.split(packet) } catch {
            throw .malformed(error.reason)
        }
        // A forged refusal can only prevent the update.
        guard let answer else { throw code == DNSCode.noError ? .unsigned : refusal(code) }
        if let objection = answer.signature.objection(
            to: answer.message, by: key, answering: requestCode, now: now)
        {
            throw objection
        }
        if code != DNSCode.noError { throw refusal(code) }
    }

    private static let headerBytes = 12

    private static func refusal(_ code: Int) -> UpdateFailure.Kind {
        switch code {
        case DNSCode.refused: .refused
        case DNSCode.notAuthoritative, DNSCode.notInZone: .notPrimary
        default: .code(code)
        }
    }
}
