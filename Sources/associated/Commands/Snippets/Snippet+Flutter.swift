// For Flutter: its own handling of links turned on, and the route of a link for go_router.

import Association

extension Snippet {
    var flutterFiles: [OutputFile] {
        let hosts = exactHosts.map { $0.literal(escapesDollar: true) }.joined(separator: ", ")
        let suffixes = hostSuffixes.map { $0.literal(escapesDollar: true) }.joined(separator: ", ")
        // Flutter follows links itself only where it is told to.
        let native = nativeFiles(
            target: "ios/Runner/Runner", plist: ["<key>FlutterDeepLinkingEnabled</key>", "<true/>"],
            activity: [#"<meta-data android:name="flutter_deeplinking_enabled" android:value="true" />"#])
        let route = OutputFile(
            name: "lib/deep_link.dart",
            text: """
                const _hosts = <String>{\(hosts)};
                const _hostSuffixes = <String>[\(suffixes)];
                const String? _scheme = \(app.scheme.map { $0.literal(escapesDollar: true) } ?? "null");

                bool _isOwn(String host) {
                  final name = host.toLowerCase();
                  return _hosts.contains(name) || _hostSuffixes.any(name.endsWith);
                }

                /// The route for a link: `redirect: (context, state) => routeOf(state.uri)` of a GoRouter. Null for a location
                /// that stays as it is.
                String? routeOf(Uri uri) {
                  String path;
                  if (uri.scheme == 'https' || uri.scheme == 'http') {
                    if (!_isOwn(uri.host)) return null;
                    path = uri.path;
                  } else if (_scheme != null && uri.scheme == _scheme) {
                    // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 are the same link.
                    path = uri.host.isEmpty || _isOwn(uri.host) ? uri.path : '${uri.host}${uri.path}';
                  } else {
                    return null;
                  }
                  // Sign-in services put their answer into the fragment: #access_token=...&state=...
                  final isAnswer = RegExp(r'^[A-Za-z0-9_.%~-]+=').hasMatch(uri.fragment);
                  final items = [uri.query, isAnswer ? uri.fragment : ''].where((part) => part.isNotEmpty).join('&');
                  final rest = isAnswer || uri.fragment.isEmpty ? '' : '#${uri.fragment}';
                  return '/${path.replaceFirst(RegExp(r'^/+'), '')}${items.isEmpty ? '' : '?$items'}$rest';
                }

                """)
        return native + [route]
    }
}
