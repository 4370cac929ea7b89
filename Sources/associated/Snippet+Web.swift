// For apps whose inside is a web page or JavaScript: Capacitor, Expo, and the head of the site's own pages.

import Association
import SourceJSON

extension Snippet {
    var capacitorHandler: OutputFile {
        let hosts = exactHosts.map { $0.literal() }.joined(separator: ", ")
        let suffixes = hostSuffixes.map { $0.literal() }.joined(separator: ", ")
        return OutputFile(
            name: "src/deep-links.ts",
            text: """
                import { App } from "@capacitor/app";

                const hosts: string[] = [\(hosts)];
                const hostSuffixes: string[] = [\(suffixes)];
                const scheme: string | null = \(app.scheme.map { $0.literal() } ?? "null");

                /** The route for a link, for the web router; null for a link that is not this app's. */
                export function routeOf(link: string): string | null {
                  const match = /^([a-z][a-z0-9+.-]*):\\/\\/([^/?#]*)([^?#]*)(\\?[^#]*)?(#.*)?$/i.exec(link);
                  if (match === null) return null;
                  const [, start, authority, path, query = "", fragment = ""] = match;
                  const name = start.toLowerCase();
                  const host = authority.replace(/^.*@/, "").replace(/:\\d*$/, "");
                  let route: string;
                  if (name === "https" || name === "http") {
                    const lower = host.toLowerCase();
                    if (!hosts.includes(lower) && !hostSuffixes.some((suffix) => lower.endsWith(suffix))) return null;
                    route = path;
                  } else if (name === scheme) {
                    // In scheme://products/1 the host is the first segment of the path.
                    route = host === "" ? path : "/" + host + path;
                  } else {
                    return null;
                  }
                  // Sign-in services put their answer into the fragment: #access_token=…&state=…
                  const answer = fragment.includes("=") ? fragment.slice(1) : "";
                  const items = [query.slice(1), answer].filter((part) => part !== "").join("&");
                  const rest = answer === "" ? fragment : "";
                  return (route === "" ? "/" : route) + (items === "" ? "" : "?" + items) + rest;
                }

                /** Hands a route to whatever router listens to the history. */
                function open(link: string): void {
                  const route = routeOf(link);
                  if (route === null) return;
                  window.history.pushState({}, "", route);
                  window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
                }

                /** Call once, after the router is there. */
                export async function followDeepLinks(): Promise<void> {
                  // While the app runs.
                  await App.addListener("appUrlOpen", (event) => open(event.url));
                  // The link that started it.
                  const launch = await App.getLaunchUrl();
                  if (launch?.url) open(launch.url);
                }

                """)
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
                return paths.map { $0.map { SourceValue.object(base + [($0.member.key, .string($0.member.value))]) } }
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
                    /** Brings a link to the route that it stands for; used on a cold start and while the app runs. */
                    export function redirectSystemPath({ path }: { path: string; initial: boolean }): string {
                      const match = /^([a-z][a-z0-9+.-]*):\\/\\/([^/?#]*)(.*)$/i.exec(path);
                      if (match === null) return path;
                      const [, start, host, rest] = match;
                      // In scheme://products/1 the host is the first segment of the path.
                      const isCustom = start.toLowerCase() === \((app.scheme ?? "").literal()) && host !== "";
                      const route = isCustom ? "/" + host + rest : rest.startsWith("/") ? rest : "/" + rest;
                      // Sign-in services put their answer into the fragment: #access_token=…&state=…
                      const [before, fragment = ""] = route.split("#", 2);
                      if (!fragment.includes("=")) return route;
                      return before + (before.includes("?") ? "&" : "?") + fragment;
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
            <!-- into the head of each page; app-argument, the url tags and the alternate are to name the page itself -->
            \(lines.joined(separator: "\n"))

            """
        return OutputFile(name: "head.html", text: text)
    }
}
