// The statement list of a host: one statement for each package, because each has certificates of its own.

import SourceJSON

enum StatementDocument {
    static func render(_ apps: [AppFile], findings: inout [Finding]) -> SourceValue? {
        var statements: [SourceValue] = []
        for app in apps {
            guard let android = app.android else { continue }
            for package in android.packages { statements.append(statement(package, android)) }
        }
        return statements.isEmpty ? nil : .array(statements)
    }

    private static func statement(_ package: AndroidPackage, _ android: AndroidApp) -> SourceValue {
        .object([
            ("relation", .strings(android.relations)),
            (
                "target",
                .object([
                    ("namespace", .string("android_app")),
                    ("package_name", .string(package.name)),
                    ("sha256_cert_fingerprints", .strings(package.fingerprints)),
                ])
            ),
        ])
    }
}
