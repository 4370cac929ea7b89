// Asks a host for its file from outside: at each address in the public DNS, as the services do. It finds a proxy, a CDN or an old
// server that answers instead of this one, and says where. It connects only to public addresses, and to the very address that it
// has looked at; it follows no redirects.

import Client
import DNS
import Posix
import TLS
import Verifier

/// The view of a host from the internet.
public struct OutsideCheck: Sendable {
    /// The addresses of a host. Why there are none is a fact about the host, unless the name server could not be asked.
    var lookUp: @Sendable (_ host: String) -> Addresses
    var fetch: @Sendable (_ host: String, RemoteAddress, DeliveryVerifier, _ milliseconds: Int) -> Answer

    enum Addresses: Hashable, Sendable {
        case found([RemoteAddress])
        case none
        case failed
    }

    /// What one address says.
    enum Answer: Hashable, Sendable {
        case file([UInt8])
        /// In words that continue the address, such as `answers 404`.
        case other(String)
    }

    /// The owner of the domain chooses how many there are.
    static let addressesMax = 4
    private static let milliseconds: Int64 = 10_000
    private static let answerMilliseconds = 4_000

    /// With the real DNS and network.
    public init() {
        let fetcher = Fetcher(try? ClientContext(authorityFile: nil))
        lookUp = { OutsideCheck.addresses(of: $0) }
        fetch = { host, address, verifier, milliseconds in
            OutsideCheck.answer(of: host, at: address, verifier, fetcher, milliseconds)
        }
    }

    init(
        lookUp: @escaping @Sendable (String) -> Addresses,
        fetch: @escaping @Sendable (String, RemoteAddress, DeliveryVerifier, Int) -> Answer
    ) { (self.lookUp, self.fetch) = (lookUp, fetch) }

    /// What an operator should know about the host's addresses; nil if they could not be asked.
    func finding(_ record: DeliveryRecord) -> String? {
        switch lookUp(record.name) {
        case .failed: return nil
        case .none: return "its name has no address in the public DNS"
        case .found(let all):
            let end = Clock.monotonicMilliseconds() + OutsideCheck.milliseconds
            var answers: [(RemoteAddress, Answer)] = []
            for address in all.prefix(OutsideCheck.addressesMax) {
                let left = min(OutsideCheck.answerMilliseconds, Int(end - Clock.monotonicMilliseconds()))
                if left <= 0 { break }
                guard address.isPublic else {
                    answers.append((address, .other("is not an address of the internet")))
                    continue
                }
                answers.append((address, fetch(record.name, address, record.verifier, left)))
            }
            return OutsideCheck.finding(answers, record)
        }
    }

    /// The same for given answers.
    static func finding(_ answers: [(RemoteAddress, Answer)], _ record: DeliveryRecord) -> String? {
        var (current, others, isForeign): ([String], [String], Bool) = ([], [], false)
        for (address, answer) in answers {
            switch answer {
            case .other(let text): others.append("\(address) \(text)")
            case .file(let bytes):
                guard let digest = DocumentDigest.of(bytes, for: record.verifier), let wanted = record.digest else {
                    continue
                }
                if digest == wanted {
                    current.append("\(address)")
                } else if let version = record.versions.first(where: { $0.digest == digest }) {
                    others.append("\(address) answers with your version of \(Clock.day(version.at / 1_000))")
                } else {
                    others.append("\(address) answers with another file")
                    isForeign = true
                }
            }
        }
        if others.isEmpty { return current.isEmpty ? nil : "the host answers with the current file now" }
        if isForeign {
            others.append("something in front of the server answers instead: a proxy, a CDN or another server")
        }
        return others.joined(separator: "; ")
    }

    private static func addresses(of host: String) -> Addresses {
        guard let name = DomainName(host) else { return .failed }
        var found: [RemoteAddress] = []
        let end = Clock.monotonicMilliseconds() + milliseconds
        for type in [DNSRecordType.a, .aaaa] {
            switch Resolver().lookUp(type, of: name, endingBy: end) {
            case .found(let records, aliases: _):
                for case .address(let address) in records where !found.contains(address) { found.append(address) }
            case .noData, .noSuchName: continue
            case .failed: return found.isEmpty ? .failed : .found(found)
            }
        }
        return found.isEmpty ? .none : .found(found)
    }

    private static func answer(
        of host: String, at address: RemoteAddress, _ verifier: DeliveryVerifier, _ fetcher: Fetcher,
        _ milliseconds: Int
    ) -> Answer {
        guard let place = SocketAddress(ip: "\(address)", port: 443) else { return .other("cannot be connected to") }
        var request = FetchRequest(
            host: host, hostField: host, address: place, path: verifier.request.path,
            userAgent: verifier.request.userAgent)
        request.requiresTrust = true
        request.limits.milliseconds = milliseconds
        switch fetcher.fetch(request) {
        case .failure(let error): return .other("gives no answer: \(error)")
        case .success(let response):
            guard response.status == 200 else { return .other("answers \(response.status)") }
            guard !response.isTruncated, let body = response.plainBody else { return .other("answers too much") }
            return response.isPage ? .other("answers with a page instead of the file") : .file(body)
        }
    }
}
