// The statement list of a host: one statement for each package, because each has certificates of its own. The dynamic
// rules of Android 15 hang on the relation that opens links.

import SourceJSON

enum StatementDocument {
    static func render(_ apps: [AppFile]) -> SourceValue? {
        var statements: [SourceValue] = []
        for app in apps {
            guard let android = app.android else { continue }
            let extensions = relationExtensions(app)
            for package in android.packages {
                statements.append(statement(package, android, extensions: extensions))
            }
        }
        return statements.isEmpty ? nil : .array(statements)
    }

    private static func statement(
        _ package: AndroidPackage, _ android: AndroidApp, extensions: SourceValue?
    ) -> SourceValue {
        .object(present: [
            ("relation", .strings(android.relations)),
            (
                "target",
                .object([
                    ("namespace", .string("android_app")),
                    ("package_name", .string(package.name)),
                    ("sha256_cert_fingerprints", .strings(package.fingerprints)),
                ])
            ),
            ("relation_extensions", extensions),
        ])
    }

    private static func relationExtensions(_ app: AppFile) -> SourceValue? {
        guard let rules = app.androidRules?.rules else { return nil }
        let components = SourceValue.array(rules.map(rendered))
        return .object([(AndroidApp.handleAllURLs, .object([("dynamic_app_link_components", components)]))])
    }

    private static func rendered(_ rule: AndroidRule) -> SourceValue {
        .object(present: [
            ("/", rule.path.map { .string($0) }),
            ("?", rule.query.map { .object($0.map { ($0.name, .string($0.pattern)) }) }),
            ("#", rule.fragment.map { .string($0) }),
            ("exclude", rule.exclude ? .bool(true) : nil),
        ])
    }
}
