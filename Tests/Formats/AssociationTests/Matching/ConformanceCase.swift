// The cases of the folder Conformance, which other implementations are held against too, decided by this one: from the text of a file
// to the word for the decision.

import Foundation
import SourceJSON
import Testing

@testable import Association

/// A case with rules, a link and the decision of phones.
struct ConformanceCase: CustomTestStringConvertible, Sendable {
    private let value: SourceValue
    let platform: String
    var testDescription: String { "\(text("id")): \(text("reason"))" }
    var expected: String { text("expected") }
    var rule: Int? { value.member(named: "rule")?.asInt }

    private static let iOS = "8KQ2V7M4XN.com.example.shop"
    private static let android = "com.example.shop"

    /// All cases of a platform, by its name in the file.
    static func all(_ platform: String) -> [ConformanceCase] {
        let file = platform.begins(with: "iOS") ? "ios" : "android"
        let place = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../Conformance/\(file).json")
        let bytes = (try? Data(contentsOf: place.standardizedFileURL)).map { [UInt8]($0) } ?? []
        let document = SourceReader.read(bytes, as: .json)
        return (document.problems.isEmpty ? document.value?.asArray ?? [] : []).map(ConformanceCase.init)
            .filter { $0.platform == platform }
    }

    private init(_ value: SourceValue) {
        self.value = value
        platform = value.member(named: "platform")?.asString ?? ""
    }

    private func text(_ name: String) -> String { value.member(named: name)?.asString ?? "" }

    /// The decision of this implementation, and the rule that decides.
    func decide() throws -> (decision: String, rule: Int?) {
        let url = try #require(LinkURL(text("url")))
        var matching = LinkMatching(origin: "")
        let file = SourceWriter.minified(value.member(named: "file") ?? builtFile)
        if platform.begins(with: "iOS") {
            let isRead = matching.take(AppleAssociation.read(file, file: "f"), file: "f")
            #expect(isRead)
            let app = matching.apple.first { $0.appID == value.member(named: "app")?.asString ?? Self.iOS }
            let (word, rule) = app?.decide(url) ?? ("none", nil)
            return (word == "match" ? "open" : word, rule)
        }
        let isRead = matching.take(StatementList.read(file, file: "f"), file: "f")
        #expect(isRead)
        matching = matching.with(manifest)
        let package = value.member(named: "app")?.asString ?? Self.android
        guard let app = matching.android.first(where: { $0.package == package }) else { return ("none", nil) }
        if platform.begins(with: "Android 14") {
            return (app.manifest?.decide(url).outcome == .opens ? "open" : "none", nil)
        }
        let (word, rule) = app.decide(url)
        switch word {
        case "allow": return app.opens(url) == true ? ("open", rule) : ("none", nil)
        case "block": return ("exclude", rule)
        default: return (word, rule)
        }
    }

    private var manifest: AndroidManifest? {
        guard let filters = value.member(named: "filters")?.asArray else { return nil }
        return AndroidManifest(
            name: "the manifest", file: nil,
            filters: filters.map { filter in
                let paths = ManifestPath.Kind.allCases.compactMap { kind in
                    filter.member(named: kind.rawValue)?.asString.map { ManifestPath(kind, $0) }
                }
                let host = filter.member(named: "host")?.asString ?? ""
                return .init(schemes: ["http", "https"], hosts: [host], paths: paths, isVerified: true)
            })
    }

    /// The association file with the rules of the case.
    private var builtFile: SourceValue {
        func members(_ names: [(String, as: String)]) -> [(String, SourceValue)] {
            names.compactMap { name, key in value.member(named: name).map { (key, $0) } }
        }
        if platform.begins(with: "iOS") {
            let entry = [("appIDs", SourceValue.array([.string(Self.iOS)]))]
            let detail = entry + members([("components", "components"), ("paths", "paths")])
            let more = members([("defaults", "defaults"), ("variables", "substitutionVariables")])
            return .object([("applinks", .object([("details", .array([.object(detail)]))] + more))])
        }
        let print = Array(repeating: "AB", count: 32).joined(separator: ":")
        let rules = members([("rules", "dynamic_app_link_components")])
        let target = SourceValue.object([
            ("namespace", .string("android_app")), ("package_name", .string(Self.android)),
            ("sha256_cert_fingerprints", .array([.string(print)])),
        ])
        let statement = [
            ("relation", SourceValue.array([.string(AndroidApp.handleAllURLs)])), ("target", target),
            ("relation_extensions", .object([(AndroidApp.handleAllURLs, .object(rules))])),
        ]
        return .array([.object(statement)])
    }
}
