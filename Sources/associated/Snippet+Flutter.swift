// For Flutter: its own handling of links turned on, and the route of a link for go_router.

import Association

extension Snippet {
    var flutterFiles: [OutputFile] {
        let hosts = exactHosts.map { $0.literal(escapesDollar: true) }.joined(separator: ", ")
        let suffixes = hostSuffixes.map { $0.literal(escapesDollar: true) }.joined(separator: ", ")
        // Flutter follows links itself only where it is told to.
        let native = nativeFiles(
            plist: ["<key>FlutterDeepLinkingEnabled</key>", "<true/>"],
            activity: [#"<meta-data android:name="flutter_deeplinking_enabled" android:value="true" />"#])
        let route = OutputFile(
            name: "lib/deep_link.dart",
            text: """
                const _hosts = <String>{\(hosts)};
                const _hostSuffixes = <String>[\(suffixes)];
                const String? _scheme = \(app.scheme.map { $0.literal(escapesDollar: true) } ?? "null");

                /// The route for a link: `redirect: (context, state) => routeOf(state.uri)` of a GoRouter. Null for a location
                /// that stays as it is.
                String? routeOf(Uri uri) {
                  String path;
                  if (uri.scheme == 'https' || uri.scheme == 'http') {
                    final host = uri.host.toLowerCase();
                    if (!_hosts.contains(host) && !_hostSuffixes.any(host.endsWith)) return null;
                    path = uri.path;
                  } else if (_scheme != null && uri.scheme == _scheme) {
                    // In scheme://products/1 the host is the first segment of the path.
                    path = uri.host.isEmpty ? uri.path : '/${uri.host}${uri.path}';
                  } else {
                    return null;
                  }
                  // Sign-in services put their answer into the fragment: #access_token=...&state=...
                  final answer = uri.fragment.contains('=') ? uri.fragment : '';
                  final items = [uri.query, answer].where((part) => part.isNotEmpty).join('&');
                  return (path.isEmpty ? '/' : path) + (items.isEmpty ? '' : '?$items');
                }

                """)
        return native + [route]
    }
}
