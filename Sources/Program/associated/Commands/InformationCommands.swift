// `associated version`, and `associated schema`: the JSON Schema of app files.

import Association
import Posix
import SourceJSON
import Supervision
import TLS

extension Command {
    static let version = Command(
        name: "version", summary: "print the version",
        details: "Prints the version of associated and of its TLS library.", options: []
    ) { _ in
        let commit = Product.commit == "unknown" ? "" : ", commit \(Product.commit)"
        Console.output("associated \(Product.version) (\(Library.version)\(commit))\n")
        return .success
    }
}

/// The version of the program.
enum Product {
    static let version = "0.1.0"
    static let userAgent = "associated/\(version)"
    /// The commit of the sources. The Dockerfile writes it here before the build; in other builds it is unknown.
    static let commit = "unknown"

    /// Differs between two builds, which may render differently even if they have the same version.
    static var identity: String {
        guard let status = try? File.status("/proc/self/exe") else { return version }
        return "\(version) \(status.byteCount) \(status.modifiedNanoseconds)"
    }
}

extension Command {
    static let schema = Command(
        name: "schema", summary: "print a JSON Schema of app files, for editors",
        details: """
            Prints a JSON Schema (draft 7) of app files, with which editors complete keys and mark mistakes.

            Save it with `associated schema > app.schema.json`. Then add "$schema": "../../app.schema.json" to the app file, or
            name the schema in the editor's settings. `associated lint` checks more than a schema can express.
            """,
        options: []
    ) { _ in
        Console.output(data: SourceWriter.canonical(AppFileSchema.value))
        return .success
    }
}
