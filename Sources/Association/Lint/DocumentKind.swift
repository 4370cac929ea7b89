// Which of the files that this project knows a text is, told from what stands in it: names and folders lie.

import SourceJSON

/// A kind of file, by its content.
public enum DocumentKind: String, Hashable, Sendable, CaseIterable {
    case appleAssociation
    /// A CMS signed message, which holds an apple-app-site-association file as far as anybody knows.
    case signedAppleAssociation
    case statementList
    case appFile
    /// The entitlements of an app on Apple's systems, with associated domains.
    case entitlements
    case androidManifest
    case unknown
}

extension DocumentKind {
    /// The keys that give a kind away, at the top level of an object.
    private static let telltales: [(kind: DocumentKind, keys: Set<String>)] = [
        (.appleAssociation, ["applinks", "webcredentials", "appclips", "activitycontinuation"]),
        (.statementList, ["relation", "target", "include"]),
        (.appFile, ["hosts", "ios", "android", "links", "examples"]),
        // What a misplaced or older file has.
        (.appleAssociation, ["details", "appIDs", "appID"]),
    ]

    /// The kind of a file. A broken text is recognised too, by the keys that it mentions.
    static func recognise(_ bytes: [UInt8]) -> DocumentKind {
        if SignedMessage.isSigned(bytes) { return .signedAppleAssociation }
        if let kind = NativeProject.recognise(bytes) { return kind }
        let document = SourceReader.read(bytes, as: .json5)
        if let value = document.value { return recognise(value) }
        return recognise(brokenText: document.text)
    }

    static func recognise(_ value: SourceValue) -> DocumentKind {
        switch value.kind {
        case .array: return .statementList
        case .object(let members):
            let keys = Set(members.map(\.key))
            if let hit = telltales.first(where: { !$0.keys.isDisjoint(with: keys) }) { return hit.kind }
            let isMisspelt = keys.contains { NearestKey.find($0, among: AppleReader.services) != nil }
            return isMisspelt ? .appleAssociation : .unknown
        default: return .unknown
        }
    }

    private static func recognise(brokenText text: [UInt8]) -> DocumentKind {
        // Past the beginning nothing decides; a megabyte of something else is not searched.
        let start = String(decoding: text.prefix(4_096), as: UTF8.self)
        let has = { (word: String) in start.contains(run: word) }
        if ["applinks", "webcredentials", "appclips"].contains(where: has) { return .appleAssociation }
        if ["delegate_permission", "sha256_cert_fingerprints"].contains(where: has) { return .statementList }
        if has("hosts"), has("ios") || has("android") { return .appFile }
        return .unknown
    }
}
