// DeepLink.swift: the destination of a link inside the app, in Swift.

extension Snippet {
    static func swiftDeepLink(_ own: OwnLinks) -> String {
        """
        import Foundation

        /// The destination of a link inside the app, for universal links and links of the custom scheme.
        struct DeepLink: Equatable {
            var path: String
            var queryItems: [URLQueryItem]
            /// Nil if it was the answer of a sign-in service, which is in the query items.
            var fragment: String?

            private static let hosts: Set<String> = [\(own.hosts)]
            private static let hostSuffixes: [String] = [\(own.suffixes)]
            private static let scheme: String? = \(own.scheme)

            /// Nil if the link does not belong to this app.
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
                    // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 lead to the same place.
                    path = host.isEmpty || isOwn ? components.path : host + components.path
                } else {
                    return nil
                }
                path = "/" + path.drop { $0 == "/" }
                queryItems = components.queryItems ?? []
                // Sign-in services return their answer in the fragment: #access_token=…&state=…
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
