// What `server.json` says about the admin listener. An address in quotes says all that most need.

import Posix
import SourceJSON

extension SettingsReader {
    static let adminKeys = ["address", "tokenFile", "socketMode", "hosts"]

    mutating func admin(_ member: SourceMember) -> AdminPlace? {
        if case .string(let text) = member.value.kind {
            guard let address = SocketAddress(listening: text) else { return refuse(member) }
            return AdminPlace(address: address)
        }
        var place = AdminPlace()
        for member in members(of: member.value, "`admin`", known: SettingsReader.adminKeys) {
            switch member.key {
            case "address":
                guard case .string(let text) = member.value.kind, let address = SocketAddress(listening: text) else {
                    return refuse(member)
                }
                place.address = address
            case "tokenFile": place.tokenFile = string(member)
            case "socketMode": place.socketPermissions = permissions(member) ?? place.socketPermissions
            default: place.hosts = names(member)
            }
        }
        return place
    }

    /// Another address in its place would be a surprise, so there is none.
    private mutating func refuse(_ member: SourceMember) -> AdminPlace? {
        report(
            member.value.range, "this is not an address", fix: "write `127.0.0.1:9464`, `[::1]:9464` or `unix:/path`")
        return nil
    }

    /// As chmod takes them, in quotes, because JSON has no octal numbers.
    private mutating func permissions(_ member: SourceMember) -> UInt32? {
        if case .string(let text) = member.value.kind, let number = UInt32(text, radix: 8), number <= 0o777 {
            return number
        }
        report(member.value.range, "`socketMode` must be permissions", fix: "write `\"0600\"` or `\"0660\"`")
        return nil
    }

    private mutating func names(_ member: SourceMember) -> [String] {
        if case .array(let elements) = member.value.kind {
            let names = elements.compactMap { $0.asString }
            if names.count == elements.count { return names }
        }
        report(member.value.range, "`hosts` must be an array of names", fix: "write `[\"metrics.example.com\"]`")
        return []
    }
}
