// All served hosts with the last fetches of their association files by Apple and Google, for `associated status --hosts`.

import Posix
package import SourceJSON
public import Telemetry

public struct HostList: Sendable, Equatable {
    /// The time of the report, in seconds since 1970.
    public var nowSeconds: Int64
    /// The time since which fetches are recorded.
    public var recordedSinceSeconds: Int64
    /// Sorted by name.
    public var hosts: [Entry]
    /// The number of hosts that are not listed.
    public var more: Int

    public struct Entry: Sendable, Equatable {
        /// The configured name.
        public var host: String
        public var isLastGood: Bool
        /// Nil if the host has no such file.
        public var apple: Fetches?
        public var google: Fetches?

        public init(host: String, isLastGood: Bool, apple: Fetches?, google: Fetches?) {
            (self.host, self.isLastGood, self.apple, self.google) = (host, isLastGood, apple, google)
        }

        /// Whether it has a file that its platform has not fetched yet.
        public var isUnfetched: Bool { [apple, google].contains { $0 != nil && $0?.lastSeconds == nil } }
    }

    /// The fetches of one verifier: the confirmed ones, or if there are none, the claimed ones.
    public struct Fetches: Sendable, Equatable {
        /// Nil if there was none.
        public var lastSeconds: Int64?
        public var isConfirmed: Bool

        public init(lastSeconds: Int64?, isConfirmed: Bool = false) {
            (self.lastSeconds, self.isConfirmed) = (lastSeconds, isConfirmed)
        }

        public init(_ records: [VerifierRecord], by verifier: VerifierKind) {
            let own = records.filter { $0.verifier == verifier }
            let record = own.first(where: \.isConfirmed) ?? own.first
            self.init(lastSeconds: record?.lastSeconds, isConfirmed: record?.isConfirmed == true)
        }
    }

    /// Keeps the answer below the size that a client of the admin listener reads.
    static let listMax = 30_000

    public init(nowSeconds: Int64, recordedSinceSeconds: Int64, all: [Entry]) {
        (self.nowSeconds, self.recordedSinceSeconds) = (nowSeconds, recordedSinceSeconds)
        hosts = Array(all.sorted { $0.host < $1.host }.prefix(HostList.listMax))
        more = all.count - hosts.count
    }

    /// One line for each host.
    public var text: String {
        var lines = hosts.map { entry in
            let fetches = [("Apple", entry.apple), ("Google", entry.google)].map { name, fetches -> String in
                guard let fetches else { return "no file for \(name)" }
                let source = fetches.isConfirmed ? "" : " (claimed)"
                let time = fetches.lastSeconds.map { Age.ago(from: $0, to: nowSeconds) + source }
                return "\(name) \(time ?? "never")"
            }
            return ([entry.host] + fetches + (entry.isLastGood ? ["last good version"] : [])).joined(separator: "  ")
        }
        if more > 0 { lines.append("and \(more) more") }
        if hosts.isEmpty { lines.append("no hosts") }
        lines.append("recording began \(Age.ago(from: recordedSinceSeconds, to: nowSeconds))")
        return lines.map { "\(Printable.line($0))\n" }.joined()
    }

    var json: [UInt8] { SourceWriter.minified(jsonValue) }
}

extension HostList: JSONRecord {
    package static var blank: Self { Self(nowSeconds: 0, recordedSinceSeconds: 0, all: []) }
    package static var members: [JSONMember<Self>] {
        [
            .needed("nowSeconds", \.nowSeconds), .needed("recordedSinceSeconds", \.recordedSinceSeconds),
            .needed("hosts", \.hosts), .needed("more", \.more),
        ]
    }
}

/// The time of the last fetch is null if there was none, and missing if the host has no such file.
extension HostList.Entry: JSONValue {
    package var jsonValue: SourceValue {
        let fetches = [("apple", apple), ("google", google)].flatMap { name, fetches -> [(String, SourceValue)] in
            guard let fetches else { return [] }
            return [(name, fetches.lastSeconds.jsonValue), ("\(name)Confirmed", .bool(fetches.isConfirmed))]
        }
        return .object([("host", .string(host)), ("lastGood", .bool(isLastGood))] + fetches)
    }

    package init?(_ value: SourceValue) {
        guard let host = value.member(named: "host")?.asString, let flag = value.member(named: "lastGood")?.asBool
        else { return nil }
        func fetches(_ name: String) -> HostList.Fetches? {
            value.member(named: name).map {
                HostList.Fetches(
                    lastSeconds: Int64($0),
                    isConfirmed: value.member(named: "\(name)Confirmed")?.asBool == true)
            }
        }
        self.init(host: host, isLastGood: flag, apple: fetches("apple"), google: fetches("google"))
    }
}
