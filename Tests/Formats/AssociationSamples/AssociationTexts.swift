// The texts of association files around the part that a test is about, good in themselves.

/// Builds association files from their parts.
package protocol AssociationTexts {}

/// The texts by themselves.
package enum Texts: AssociationTexts {}

extension AssociationTexts {
    /// Two app ids and a fingerprint that nothing is wrong with.
    package static var app: String { "9JA89QQLNQ.com.acme.shop" }
    package static var other: String { "9JA89QQLNQ.com.acme.bank" }
    package static var print: String {
        "5B:0C:11:9E:D2:47:A8:3F:60:CC:71:95:E4:08:BD:2A:16:F7:83:59:DA:3E:04:C1:9B:68:2D:F0:75:AA:1C:E9"
    }

    package static func links(_ members: String) -> String { "{\"applinks\": {\(members)}}" }
    package static func details(_ entries: String) -> String { links("\"details\": [\(entries)]") }
    package static func entry(_ members: String) -> String { details("{\"appIDs\": [\"\(app)\"], \(members)}") }
    package static func components(_ components: String) -> String { entry("\"components\": [\(components)]") }
    package static func component(_ members: String) -> String { components("{\(members)}") }
    package static func path(_ pattern: String) -> String { component("\"/\": \"\(pattern)\"") }
    package static func paths(_ paths: String) -> String {
        links("\"apps\": [], \"details\": [{\"appID\": \"\(app)\", \"paths\": [\(paths)]}]")
    }
    package static func query(_ members: String) -> String { component("\"/\": \"/q\", \"?\": {\(members)}") }
    package static func variables(_ members: String, use: String = "$(v)") -> String {
        links(
            "\"substitutionVariables\": {\(members)}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/\(use)\"}]}]"
        )
    }

    package static var handle: String { "delegate_permission/common.handle_all_urls" }
    package static func target(_ package: String = "com.acme.shop", _ fingerprint: String = print) -> String {
        "{\"namespace\": \"android_app\", \"package_name\": \"\(package)\", \"sha256_cert_fingerprints\": [\"\(fingerprint)\"]}"
    }
    package static func statement(relation: String = handle, target: String = target(), more: String = "") -> String {
        "{\"relation\": [\"\(relation)\"], \"target\": \(target)\(more)}"
    }
    package static func web(_ site: String, relation: String = "delegate_permission/common.get_login_creds") -> String {
        "[" + statement(relation: relation, target: "{\"namespace\": \"web\", \"site\": \"\(site)\"}") + "]"
    }
    package static func rules(_ rules: String, key: String = handle) -> String {
        "[" + statement(more: ", \"relation_extensions\": {\"\(key)\": {\"dynamic_app_link_components\": [\(rules)]}}")
            + "]"
    }

    /// The text with blanks behind it.
    package static func padded(_ text: String, to count: Int) -> [UInt8] {
        Array(text.utf8) + Array(repeating: 0x20, count: count - text.utf8.count)
    }

    /// The beginning of a signed message.
    package static var signed: [UInt8] {
        [0x30, 0x82, 0x0D, 0xAD, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02, 0xA0, 0x82]
            + [UInt8](repeating: 0, count: 3_488)
    }
}
