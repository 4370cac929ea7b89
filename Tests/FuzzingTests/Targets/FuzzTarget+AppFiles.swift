// App files: a model or an error, and documents made from a good one that the platforms would take.

import Association
import AssociationLint
import SourceJSON

extension FuzzTarget {
    static let appfile = FuzzTarget(
        name: "appfile", summary: "app files: a model or an error, and documents that lint has nothing against"
    ) { bytes in
        let reading = AppFile.read(bytes, file: "f")
        let hasErrors = reading.findings.contains { $0.severity == .error }
        try demand((reading.appFile == nil) == hasErrors, "a model beside errors, or neither")
        try LintPromises(bytes, dialect: .json5) { AppFile.lint($0, file: "f") }.check()
        for environment in reading.environments.prefix(2) {
            if let app = AppFile.read(bytes, file: "f", environment: environment).appFile {
                try AppFilePromises.check(app)
            }
        }
        if let app = reading.appFile { try AppFilePromises.check(app) }
    }
}

/// What is true of a good app file.
private enum AppFilePromises {
    static func check(_ app: AppFile) throws(Complaint) {
        let documents = Renderer.documents(for: [app])
        if documents.findings.contains(where: { $0.severity == .error }) { return }
        // Nothing is published that a phone would refuse.
        if let bytes = documents.appleBytes {
            let errors = Linter.lint(apple: bytes, file: "apple").filter { $0.severity == .error }
            try demand(errors.isEmpty, "\(String(decoding: bytes, as: UTF8.self)): \(errors.map(\.message))")
        }
        if let bytes = documents.statementBytes {
            let errors = Linter.lint(statements: bytes, file: "statements").filter { $0.severity == .error }
            try demand(errors.isEmpty, "\(String(decoding: bytes, as: UTF8.self)): \(errors.map(\.message))")
        }
    }
}
