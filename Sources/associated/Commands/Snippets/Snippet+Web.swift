// For apps in JavaScript: Capacitor, React Native, Expo; and the head of the site's own pages.

import Association
import SourceJSON

extension Snippet {
    /// `routeOf` in TypeScript, which all projects in JavaScript share.
    var routeFunction: String {
        let hosts = exactHosts.map { $0.literal() }.joined(separator: ", ")
        let suffixes = hostSuffixes.map { $0.literal() }.joined(separator: ", ")
        return """
            const hosts: string[] = [\(hosts)];
            const hostSuffixes: string[] = [\(suffixes)];
            const scheme: string | null = \(app.scheme.map { $0.literal() } ?? "null");
            // Sign-in services put their answer into the fragment: #access_token=…&state=… It becomes a part of the query.
            // Write false where a library such as MSAL or Supabase reads it from location.hash.
            const movesAnswerToQuery: boolean = true;

            function isOwn(host: string): boolean {
              const name = host.toLowerCase();
              return hosts.includes(name) || hostSuffixes.some((suffix) => name.endsWith(suffix));
            }

            /** The route for a link; null for a link that is not this app's. */
            export function routeOf(link: string): string | null {
              const match = /^([a-z][a-z0-9+.-]*):\\/\\/([^/?#]*)([^?#]*)(\\?[^#]*)?(#.*)?$/i.exec(link);
              if (match === null) return null;
              const [, start = "", authority = "", path = "", query = "", fragment = ""] = match;
              const name = start.toLowerCase();
              const host = authority.replace(/^.*@/, "").replace(/:\\d*$/, "");
              let route: string;
              if (name === "https" || name === "http") {
                if (!isOwn(host)) return null;
                route = path;
              } else if (name === scheme) {
                // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 are the same link.
                route = host === "" || isOwn(host) ? path : host + path;
              } else {
                return null;
              }
              const isAnswer = movesAnswerToQuery && /^#[a-z0-9_.%~-]+=/i.test(fragment);
              const items = [query.slice(1), isAnswer ? fragment.slice(1) : ""].filter((part) => part !== "").join("&");
              // Two slashes at the start would name another host.
              return "/" + route.replace(/^[/\\\\]+/, "") + (items === "" ? "" : "?" + items) + (isAnswer ? "" : fragment);
            }
            """
    }

    var capacitorHandler: OutputFile {
        OutputFile(
            name: "src/deep-links.ts",
            text: """
                import { App } from "@capacitor/app";

                \(routeFunction)

                /** Hands a route to whatever router listens to the history. */
                function open(link: string): void {
                  const route = routeOf(link);
                  if (route === null) return;
                  window.history.pushState({}, "", route);
                  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
                }

                /** Call once, after the router is there. Capacitor keeps the link that started the app for the first listener;
                 * asking for App.getLaunchUrl() as well would follow that link twice. */
                export async function followDeepLinks(): Promise<void> {
                  await App.addListener("appUrlOpen", (event) => open(event.url));
                }

                """)
    }

    /// For React Native: React Navigation's `linking`, and the delegate that hands links on.
    var reactNativeFiles: [OutputFile] {
        let origin = "https://\(exactHosts.first ?? app.hosts.first?.name ?? "")"
        let linking = OutputFile(
            name: "src/linking.ts",
            text: """
                import { Linking } from "react-native";

                \(routeFunction)

                const origin = \(origin.literal());

                /** For React Navigation: <NavigationContainer linking={{ ...linking, config }}>. */
                export const linking = {
                  prefixes: [origin],
                  async getInitialURL(): Promise<string | null> {
                    const link = await Linking.getInitialURL();
                    const route = link === null ? null : routeOf(link);
                    return route === null ? null : origin + route;
                  },
                  subscribe(listener: (url: string) => void): () => void {
                    const subscription = Linking.addEventListener("url", (event: { url: string }) => {
                      const route = routeOf(event.url);
                      if (route !== null) listener(origin + route);
                    });
                    return () => subscription.remove();
                  },
                };

                """)
        let delegate = OutputFile(
            name: "ios/\(identifier)/AppDelegate+Links.swift",
            text: """
                import React
                import UIKit

                /// Hands links to React Native's Linking.
                extension AppDelegate {
                    func application(
                        _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
                    ) -> Bool {
                        RCTLinkingManager.application(app, open: url, options: options)
                    }

                    func application(
                        _ application: UIApplication, continue userActivity: NSUserActivity,
                        restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
                    ) -> Bool {
                        RCTLinkingManager.application(
                            application, continue: userActivity, restorationHandler: restorationHandler)
                    }
                }

                """)
        return nativeFiles(target: "ios/\(identifier)/\(identifier)") + (app.ios == nil ? [] : [delegate]) + [linking]
    }

    var expoFiles: [OutputFile] {
        var expo: [(String, SourceValue)] = []
        if let scheme = app.scheme { expo.append(("scheme", .string(scheme))) }
        if let id = app.ios?.appIDs.first, let dot = id.firstIndex(of: ".") {
            expo.append(
                (
                    "ios",
                    .object([
                        ("bundleIdentifier", .string(String(id[id.index(after: dot)...]))),
                        ("associatedDomains", .array(associatedDomains.map { .string($0) })),
                    ])
                ))
        }
        if let package = app.android?.packages.first {
            let data = app.hosts.flatMap { host in
                let base: [(String, SourceValue)] = [("scheme", .string("https")), ("host", .string(host.text))]
                return app.manifestPaths.map {
                    $0.map { SourceValue.object(base + [($0.kind.rawValue, .string($0.text))]) }
                }
                    ?? [.object(base)]
            }
            let filter: SourceValue = .object([
                ("action", .string("VIEW")), ("autoVerify", .bool(true)), ("data", .array(data)),
                ("category", .array([.string("BROWSABLE"), .string("DEFAULT")])),
            ])
            expo.append(
                ("android", .object([("package", .string(package.name)), ("intentFilters", .array([filter]))])))
        }
        let json = SourceWriter.canonical(.object([("expo", .object(expo))]))
        return [
            OutputFile(name: "app.json", text: String(decoding: json, as: UTF8.self)),
            OutputFile(
                name: "app/+native-intent.ts",
                text: """
                    \(routeFunction)

                    /** Brings a link to its route, on a cold start and while the app runs. */
                    export function redirectSystemPath({ path }: { path: string; initial: boolean }): string {
                      return routeOf(path) ?? path;
                    }

                    """),
        ]
    }

    /// The Smart App Banner and the App Links tags, for the head of a page; `content` is to be the page's own address.
    var head: OutputFile {
        let address = "https://\(exactHosts.first ?? app.hosts.first?.name ?? "")/"
        let link = app.scheme.map { "\($0):///" } ?? address
        var lines: [String] = []
        func meta(_ attribute: String, _ name: String, _ content: String) {
            lines.append("<meta \(attribute)=\"\(name)\" content=\"\(content.xml)\">")
        }
        if let id = app.ios?.storeID {
            meta("name", "apple-itunes-app", "app-id=\(id), app-argument=\(address)")
            lines += [
                "<script>", "  // The page's own address.",
                "  document.currentScript.previousElementSibling.content =",
                "    \("app-id=\(id), app-argument=".literal()) + location.href.replace(/,/g, \"%2C\");", "</script>",
            ]
            meta("property", "al:ios:app_store_id", id)
        }
        if app.ios != nil {
            meta("property", "al:ios:app_name", app.name)
            meta("property", "al:ios:url", link)
        }
        if let package = app.android?.packages.first {
            meta("property", "al:android:package", package.name)
            meta("property", "al:android:app_name", app.name)
            meta("property", "al:android:url", link)
            let host = address.dropFirst("https://".count)
            lines.append("<link rel=\"alternate\" href=\"android-app://\(package.name)/https/\(String(host).xml)\">")
        }
        meta("property", "al:web:url", address)
        let text = """
            <!-- Put this in the <head> of each page, and set the *:url tags and the alternate link to that page's own URL: programs
                 read them without running scripts. A page that is made by a server can set app-argument there instead. -->
            \(lines.joined(separator: "\n"))

            """
        return OutputFile(name: "head.html", text: text)
    }
}
