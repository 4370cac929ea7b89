// A rule as the object that it is in a file.

public import SourceJSON

extension AppleComponent {
    /// With the members in the order in which Apple's documentation has them. The comment is for app files: published, it
    /// would cost every phone its bytes.
    public func value(includingComment: Bool) -> SourceValue {
        .object(present: [
            ("/", path.map { .string($0) }),
            ("?", query.map(AppleComponent.value(of:))),
            ("#", fragment.map { .string($0) }),
            ("exclude", exclude == true ? .bool(true) : nil),
            ("caseSensitive", caseSensitive.map { .bool($0) }),
            ("percentEncoded", percentEncoded.map { .bool($0) }),
            ("comment", includingComment ? comment.map { .string($0) } : nil),
        ])
    }

    private static func value(of query: AppleQuery) -> SourceValue {
        switch query {
        case .whole(let pattern): .string(pattern)
        case .items(let items): .object(items.map { ($0.name, .string($0.pattern)) })
        }
    }
}
