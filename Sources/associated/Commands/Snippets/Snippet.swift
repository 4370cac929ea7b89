// The native half of an app file: files for the app's own project that agree with what is served. Everything that comes
// from the app file is escaped for the language it lands in.

import Association

struct Snippet {
    let app: AppFile
    /// For entitlements of test builds, such as `developer`.
    let mode: String?

    enum Kind: String, CaseIterable {
        case ios, android, capacitor, flutter, expo, html
        case reactNative = "react-native"
    }

    /// The files of the project that have to agree with the app file.
    func files(for kind: Kind) throws(Refusal) -> [OutputFile] {
        let needsIOS = kind == .ios && app.ios == nil
        let needsAndroid = kind == .android && app.android == nil
        if needsIOS || needsAndroid {
            throw .failure("\(app.file) has no app for \(kind.rawValue)")
        }
        switch kind {
        case .ios: return [entitlements("\(identifier).entitlements")] + infoPlist() + swiftFiles
        case .android: return manifest() + assetStatements() + kotlinFiles
        case .capacitor: return nativeFiles(target: "ios/App/App/App") + [capacitorHandler]
        case .reactNative: return reactNativeFiles
        case .flutter: return flutterFiles
        case .expo: return expoFiles
        case .html: return [head]
        }
    }

    /// What every kind of project that has both platforms inside needs, where such a project has it.
    /// - Parameter target: the folder of the target in Xcode, and the name of its entitlements.
    func nativeFiles(target: String, plist: [String] = [], activity: [String] = []) -> [OutputFile] {
        let folder = String(target.prefix(through: target.lastIndex(of: "/") ?? target.startIndex))
        let main = "android/app/src/main/"
        return (app.ios == nil ? [] : [entitlements("\(target).entitlements")] + infoPlist(plist, folder: folder))
            + (app.android == nil ? [] : manifest(activity: activity, folder: main) + assetStatements(folder: main))
    }

    /// What is left to do by hand in the project with these files, one step a line.
    func steps(for kind: Kind, _ files: [OutputFile]) -> [String] {
        let iOS =
            app.ios == nil ? [] : ["in Xcode: select the entitlements file as CODE_SIGN_ENTITLEMENTS of the target"]
        let mergeable = ["Info.plist", "AndroidManifest.xml"].filter { name in
            files.contains { $0.name == name || $0.name.hasSuffix("/\(name)") }
        }
        let merging =
            mergeable.isEmpty
            ? [] : ["merge \(mergeable.joined(separator: " and ")) into files that the project has already"]
        switch kind {
        case .ios:
            return iOS + merging + ["SwiftUI: call onDeepLink on the root view; UIKit: set showLink of SceneDelegate"]
        case .android: return merging + ["fill in show(link) of MainActivity"]
        case .capacitor:
            return iOS + merging + ["call followDeepLinks() of src/deep-links.ts after the router is there"]
        case .flutter: return iOS + merging + ["give GoRouter redirect: (context, state) => routeOf(state.uri)"]
        case .expo: return ["merge app.json into the project's, then run npx expo prebuild"]
        case .reactNative:
            return iOS + merging + ["give NavigationContainer linking={{ ...linking, config }} of src/linking.ts"]
        case .html:
            return [
                "put the tags into the <head> of each page, with that page's own URL in the *:url tags and the alternate link"
            ]
        }
    }

    /// The app's name as a name in programs.
    var identifier: String {
        let words = app.name.unicodeScalars.map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : " "
        }
        let joined = String(words).split(separator: " ").joined()
        guard let first = joined.unicodeScalars.first else { return "App" }
        return first.properties.isAlphabetic ? joined : "App\(joined)"
    }

    var exactHosts: [String] { app.hosts.filter { !$0.isWildcard }.map(\.name) }

    /// What the hosts below a wildcard end in, with the dot.
    var hostSuffixes: [String] { app.hosts.filter(\.isWildcard).map { ".\($0.name)" } }
}

extension String {
    /// For XML and HTML, in text and between double quotes.
    var xml: String {
        unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// As a literal of Swift, Kotlin, Dart or JavaScript, with its quotation marks. All four agree on these escapes; only
    /// Kotlin and Dart have a meaning for the dollar, and JavaScript and Swift do without one.
    func literal(escapesDollar: Bool = false) -> String {
        let inside = unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "$" where escapesDollar: result += "\\$"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"\(inside)\""
    }
}
