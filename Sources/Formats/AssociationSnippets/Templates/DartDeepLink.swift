// lib/deep_link.dart: the route of a link for go_router.

extension Snippet {
    static func dartDeepLink(_ own: OwnLinks) -> String {
        """
        const _hosts = <String>{\(own.hosts)};
        const _hostSuffixes = <String>[\(own.suffixes)];
        const String? _scheme = \(own.scheme);

        bool _isOwn(String host) {
          final name = host.toLowerCase();
          return _hosts.contains(name) || _hostSuffixes.any(name.endsWith);
        }

        /// The route for a link; null if the location need not change. Use it in a GoRouter:
        /// `redirect: (context, state) => routeOf(state.uri)`.
        String? routeOf(Uri uri) {
          String path;
          if (uri.scheme == 'https' || uri.scheme == 'http') {
            if (!_isOwn(uri.host)) return null;
            path = uri.path;
          } else if (_scheme != null && uri.scheme == _scheme) {
            // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 lead to the same route.
            path = uri.host.isEmpty || _isOwn(uri.host) ? uri.path : '${uri.host}${uri.path}';
          } else {
            return null;
          }
          // Sign-in services return their answer in the fragment: #access_token=...&state=...
          final isAnswer = RegExp(r'^[A-Za-z0-9_.%~-]+=').hasMatch(uri.fragment);
          final items = [uri.query, isAnswer ? uri.fragment : ''].where((part) => part.isNotEmpty).join('&');
          final rest = isAnswer || uri.fragment.isEmpty ? '' : '#${uri.fragment}';
          return '/${path.replaceFirst(RegExp(r'^/+'), '')}${items.isEmpty ? '' : '?$items'}$rest';
        }

        """
    }
}
