// The settings of the delivery monitor: `delivery` in `server.json`. It is off unless the key is there, because it tells Apple and
// Google the names of the hosts.

import SourceJSON

/// How the copies at Apple and Google are watched.
public struct DeliverySettings: Sendable, Equatable {
    public var isEnabled = true
    /// The base URL of Apple's CDN; the host is appended.
    public var appleURL = "https://app-site-association.cdn-apple.com/a/v1/"
    /// The URL of Google's service; the query is appended.
    public var googleURL = "https://digitalassetlinks.googleapis.com/v1/statements:list"
    /// A file with the API key for Google's Android Developer ID Status API; nil not to ask it.
    public var registrationKeyFile: String?
    /// Of that API; the path is appended.
    public var registrationURL = "https://androiddeveloperidstatus.googleapis.com/"

    public init() {}

    /// A URL that the manager's client can fetch, by its rules (`WebLocation`): no user, no IPv6 literal. Plain HTTP is for tests
    /// and for receivers on the same machine.
    package static func isWebURL(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) })
        else { return false }
        let parts = text.utf8.dropFirst(scheme.utf8.count).prefix { !"/?#".utf8.contains($0) }
            .split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, UInt16(String(decoding: parts[1], as: UTF8.self)) ?? 0 == 0 { return false }
        let name = parts[0].last == UInt8(ascii: ".") ? parts[0].dropLast() : parts[0]
        return name.count <= 253
            && name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isLetter || $0.isDigit || [0x2D, 0x5F].contains($0) }
            }
    }
}

extension SettingsReader {
    mutating func webURL(_ member: SourceMember) -> String? {
        value(member, fix: "write `https://example.com/path`", objection: { _ in "`\(member.key)` is not a URL" }) {
            DeliverySettings.isWebURL($0) ? $0 : nil
        }
    }

    mutating func readWebhooks(_ member: SourceMember) {
        let example = "[{ url: \"https://example.com/hook\", secretFile: \"/run/secrets/hook\" }]"
        guard let elements = member.value.asArray else {
            return report(member.value.range, "`webhooks` must be an array", fix: "write `\(example)`")
        }
        for element in elements {
            var (url, secretFile): (String?, String?) = (nil, nil)
            let known = members(of: element, "a webhook", known: Setting.webhook.keys)
            for inner in known {
                if inner.key == "url" { url = webURL(inner) } else { secretFile = string(inner) }
            }
            if let url, let secretFile {
                settings.manager.webhooks.append(.init(url: url, secretFile: secretFile))
            } else if element.asObject != nil, known.count < 2 {
                report(
                    element.range, "a webhook needs both `url` and `secretFile`",
                    fix: "write `\(example)`; `openssl rand -base64 32` makes a secret")
            }
        }
    }

    /// With an error in `delivery` or `store`, nothing is watched: requests might go elsewhere than intended.
    mutating func finishDelivery(_ root: SourceValue) {
        if root.members(named: "delivery").isEmpty { return }
        if isUsable(["delivery", "store", "tests"], root), settings.manager.deliveryDraft.isEnabled {
            settings.manager.delivery = settings.manager.deliveryDraft
        }
    }
}
