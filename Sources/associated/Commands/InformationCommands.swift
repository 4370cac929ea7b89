// `associated version` and `associated schema`: what the program is, and what editors need to know of app files.

import Association
import Posix
import SourceJSON
import TLS

extension Command {
    static let version = Command(
        name: "version", summary: "print the version",
        details: "Prints the version of associated and of the TLS library that it runs with.", options: []
    ) { _ in
        let commit = Product.commit == "unknown" ? "" : ", commit \(Product.commit)"
        Console.output("associated \(Product.version) (\(Library.version)\(commit))\n")
        return .success
    }
}

/// What the program is called and how old it is.
enum Product {
    static let version = "0.1.0"
    /// Of the sources. The Dockerfile writes it here before it builds; another build does not know.
    static let commit = "unknown"

    /// Tells this program from every other that might render differently: two builds of one version have other files.
    static var identity: String {
        guard let status = try? File.status("/proc/self/exe") else { return version }
        return "\(version) \(status.byteCount) \(status.modifiedNanoseconds)"
    }
}

extension Command {
    static let schema = Command(
        name: "schema", summary: "print the JSON Schema of app files, for editors",
        details: """
            Prints a JSON Schema (draft 7) with which editors complete and check app files while they are written:
            `associated schema > app.schema.json`, and "$schema": "../../app.schema.json" in the file or json.schemas in the
            editor's settings. `associated lint` checks more than a schema can say.
            """,
        options: []
    ) { _ in
        Console.output(data: SourceWriter.canonical(AppFileSchema.value))
        return .success
    }
}
