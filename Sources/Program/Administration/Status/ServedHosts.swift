// The hosts that a server serves, for the manager, which obtains their certificates. The manager sends the digest of
// the list that it has, so that an unchanged list is not sent again.

import SourceJSON
import Tenancy

/// The answer of `/served`.
public struct ServedHosts: Sendable, Equatable {
    /// The digest of everything that is served. It also changes when a host's files do.
    public let digest: String
    /// The configured names, sorted, with `/` between them; `*.example.com` for a wildcard. One text, because the manager would
    /// need 150 bytes for each of a million values.
    public let names: String
    /// The first folders below `config/apps` of the hosts' app files, in the order of the hosts, with `/` between them. Empty for
    /// a host whose file is directly there, or that has none. All empty if no host has a folder.
    public let folders: String
    /// The hosts that are left out, because there are more than a manager can take.
    public let omittedCount: Int

    /// As many hosts as a fleet is designed for.
    public static let hostsMax = 1_000_000
    /// Enough for that many hosts with 60 bytes for the name and the folder; most have 20 to 40.
    public static let bytesMax = 64 * 1024 * 1024
    /// For everything but the hosts.
    private static let frameBytes = 1_024
    /// A DNS name and `*.`.
    private static let nameBytesMax = 255
    private static let digestBytesMax = 64

    /// If there are too many hosts, those of the tenants with the most are left out.
    public init(
        digest: String, hosts: [String], folders: [String: String] = [:], hostsMax: Int = ServedHosts.hostsMax,
        bytesMax: Int = ServedHosts.bytesMax
    ) {
        func tenant(_ host: String) -> TenantID { TenantID(of: host, folder: folders[host]) }
        let few = FairShare.fitting(hosts.sorted(), room: hostsMax, tenant: tenant)
        let kept = FairShare.fitting(few, room: bytesMax - ServedHosts.frameBytes, tenant: tenant) { host in
            // In JSON, some bytes of a folder's name take six.
            host.utf8.count + (folders[host]?.utf8.reduce(0) { $0 + (ServedHosts.isPlain($1) ? 1 : 6) } ?? 0) + 2
        }
        self.digest = digest
        names = kept.joined(separator: "/")
        self.folders = folders.isEmpty ? "" : kept.map { folders[$0] ?? "" }.joined(separator: "/")
        omittedCount = hosts.count - kept.count
    }

    /// Reads an answer. Nil if it is anything else, or exceeds a limit.
    public init?(json bytes: [UInt8], hostsMax: Int = ServedHosts.hostsMax) {
        // More values than there are, for members that a later version adds.
        let limits = SourceLimits(depth: 8, bytes: ServedHosts.bytesMax, values: 100, problems: 1)
        let document = SourceReader.read(bytes, as: .json, limits: limits)
        guard document.isAcceptable, let digest = document.value?.member(named: "digest")?.asString,
            ServedHosts.isDigest(digest), let names = document.value?.member(named: "hosts")?.asString,
            ServedHosts.areNames(names, countMax: hostsMax)
        else { return nil }
        (self.digest, self.names) = (digest, names)
        folders = document.value?.member(named: "folders")?.asString ?? ""
        omittedCount = document.value?.member(named: "omitted")?.asInt ?? 0
    }

    /// In the shortest form.
    public var json: [UInt8] {
        var members = [("digest", digest.jsonValue), ("hosts", names.jsonValue)]
        if !folders.isEmpty { members.append(("folders", folders.jsonValue)) }
        if omittedCount > 0 { members.append(("omitted", .integer(omittedCount))) }
        return SourceWriter.minified(.object(members))
    }

    /// The digest becomes a part of the next request's path.
    private static func isDigest(_ text: String) -> Bool {
        (1...digestBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Whether the names are in order, and can be logged and compared as they are. What they stand for is for the reader to check.
    private static func areNames(_ text: String, countMax: Int) -> Bool {
        var (count, before, rest) = (0, Substring(), text[...])
        while !text.isEmpty {
            let name = rest.utf8.prefix { $0 != UInt8(ascii: "/") }
            count += 1
            guard count <= countMax, (1...nameBytesMax).contains(name.count), before < Substring(name),
                name.allSatisfy({ (0x21...0x7E).contains($0) })
            else { return false }
            if name.endIndex == rest.endIndex { return true }
            (before, rest) = (Substring(name), rest[rest.utf8.index(after: name.endIndex)...])
        }
        return true
    }
}

extension ServedHosts {
    /// The request for them.
    /// - Parameter known: the digest of the hosts that the manager has; empty if it wants them all.
    public static func path(unless known: String) -> String { known.isEmpty ? "/served" : "/served/\(known)" }
}
