// DeepLink.swift: where a link leads, in Swift.

extension Snippet {
    static func swiftDeepLink(_ own: OwnLinks) -> String {
        """
        import Foundation

        /// Where a link leads inside the app, whether it came as a universal link or by the custom scheme.
        struct DeepLink: Equatable {
            var path: String
            var queryItems: [URLQueryItem]
            /// Without an answer of a sign-in service, which is among the query items.
            var fragment: String?

            private static let hosts: Set<String> = [\(own.hosts)]
            private static let hostSuffixes: [String] = [\(own.suffixes)]
            private static let scheme: String? = \(own.scheme)

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

        """
    }
}
