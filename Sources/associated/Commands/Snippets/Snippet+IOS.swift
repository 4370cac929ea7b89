// For iOS: the entitlement for each host and service, the custom scheme, and one place that both kinds of link arrive at.

import Association

extension Snippet {
    func entitlements(_ name: String) -> OutputFile {
        let entries = associatedDomains.map { "    <string>\($0.xml)</string>" }
        return OutputFile(
            name: name,
            text: Snippet.propertyList(
                ["<key>com.apple.developer.associated-domains</key>", "<array>"] + entries + ["</array>"]))
    }

    /// A property list with a dictionary in it.
    private static func propertyList(_ entries: [String]) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
        \(lines(entries, indent: 4))</dict>
        </plist>

        """
    }

    /// A service and a host each; App Clips have no wildcards.
    var associatedDomains: [String] {
        guard let ios = app.ios else { return [] }
        let suffix = mode.map { "?mode=\($0)" } ?? ""
        var entries: [String] = []
        for service in ios.services.map(\.rawValue) + (ios.appClips.isEmpty ? [] : ["appclips"]) {
            for host in app.hosts where service != "appclips" || !host.isWildcard {
                entries.append("\(service):\(host.text)\(suffix)")
            }
        }
        return entries
    }

    /// The target's Info.plist: the custom scheme, if there is one, and what else the kind of project needs there.
    func infoPlist(_ more: [String] = [], folder: String = "") -> [OutputFile] {
        var entries = more
        if let scheme = app.scheme {
            entries += [
                "<key>CFBundleURLTypes</key>", "<array>", "    <dict>", "        <key>CFBundleURLName</key>",
                "        <string>\(scheme.xml)</string>", "        <key>CFBundleURLSchemes</key>", "        <array>",
                "            <string>\(scheme.xml)</string>", "        </array>", "    </dict>", "</array>",
            ]
        }
        if entries.isEmpty { return [] }
        return [OutputFile(name: "\(folder)Info.plist", text: Snippet.propertyList(entries))]
    }

    var swiftFiles: [OutputFile] { [deepLink, swiftUIHandlers, sceneDelegate] }

    private var deepLink: OutputFile {
        let hosts = exactHosts.map { $0.literal() }.joined(separator: ", ")
        let suffixes = hostSuffixes.map { $0.literal() }.joined(separator: ", ")
        return OutputFile(
            name: "DeepLink.swift",
            text: """
                import Foundation

                /// Where a link leads inside the app, whether it came as a universal link or by the custom scheme.
                struct DeepLink: Equatable {
                    var path: String
                    var queryItems: [URLQueryItem]
                    /// Without an answer of a sign-in service, which is among the query items.
                    var fragment: String?

                    private static let hosts: Set<String> = [\(hosts)]
                    private static let hostSuffixes: [String] = [\(suffixes)]
                    private static let scheme: String? = \(app.scheme.map { $0.literal() } ?? "nil")

                    /// Nil for a link that is not this app's.
                    init?(_ url: URL) {
                        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
                            let scheme = components.scheme?.lowercased()
                        else { return nil }
                        let host = components.host ?? ""
                        let isOwn = Self.isOwn(host)
                        if scheme == "https" || scheme == "http" {
                            guard isOwn else { return nil }
                            path = components.path
                        } else if scheme == Self.scheme {
                            // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 are the same link.
                            path = host.isEmpty || isOwn ? components.path : host + components.path
                        } else {
                            return nil
                        }
                        path = "/" + path.drop { $0 == "/" }
                        queryItems = components.queryItems ?? []
                        // Sign-in services put their answer into the fragment: #access_token=…&state=…
                        let answer = #"^[A-Za-z0-9_.%~-]+="#
                        if let encoded = components.percentEncodedFragment,
                            encoded.range(of: answer, options: .regularExpression) != nil
                        {
                            var parts = URLComponents()
                            parts.percentEncodedQuery = encoded
                            queryItems += parts.queryItems ?? []
                        } else {
                            fragment = components.fragment
                        }
                    }

                    private static func isOwn(_ host: String) -> Bool {
                        let name = host.lowercased()
                        return hosts.contains(name) || hostSuffixes.contains { name.hasSuffix($0) }
                    }

                    func value(of name: String) -> String? { queryItems.first { $0.name == name }?.value }
                }

                """)
    }

    private var swiftUIHandlers: OutputFile {
        OutputFile(
            name: "DeepLink+SwiftUI.swift",
            text: """
                import Foundation
                import SwiftUI

                extension View {
                    /// Sends universal links and links of the custom scheme to one place, whether the app runs or is started.
                    func onDeepLink(perform open: @escaping (DeepLink) -> Void) -> some View {
                        onOpenURL { url in
                            if let link = DeepLink(url) { open(link) }
                        }
                        .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
                            if let url = activity.webpageURL, let link = DeepLink(url) { open(link) }
                        }
                    }
                }

                """)
    }

    private var sceneDelegate: OutputFile {
        OutputFile(
            name: "SceneDelegate.swift",
            text: """
                import Foundation
                import UIKit

                /// For apps with UIKit: every way in which a link arrives ends in `open`.
                class SceneDelegate: UIResponder, UIWindowSceneDelegate {
                    var window: UIWindow?

                    /// Shows what a link leads to. Set it as soon as the app can show something, such as in `viewDidAppear` of
                    /// the first view controller: `(view.window?.windowScene?.delegate as? SceneDelegate)?.showLink = …`.
                    /// The link that started the app waits until then.
                    var showLink: ((DeepLink) -> Void)? {
                        didSet {
                            guard let showLink, let link = pendingLink else { return }
                            pendingLink = nil
                            showLink(link)
                        }
                    }
                    private var pendingLink: DeepLink?

                    /// The app was started by a link.
                    func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
                        for activity in options.userActivities { self.scene(scene, continue: activity) }
                        self.scene(scene, openURLContexts: options.urlContexts)
                    }

                    /// A universal link while the app runs.
                    func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
                        guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return }
                        open(userActivity.webpageURL)
                    }

                    /// A link of the custom scheme while the app runs.
                    func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
                        for context in contexts { open(context.url) }
                    }

                    private func open(_ url: URL?) {
                        guard let url, let link = DeepLink(url) else { return }
                        if let showLink { showLink(link) } else { pendingLink = link }
                    }
                }

                """)
    }
}
