// `associated version`, and `associated schema`: the JSON Schemas of app files and of server.json.

import Association
import Posix
import Settings
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

extension Command {
    static let schema = Command(
        name: "schema", summary: "print a JSON Schema of app files or server.json, for editors",
        details: """
            Prints a JSON Schema (draft 7) of app files, or of server.json, with which editors complete keys and mark mistakes.

            Save it with `associated schema app > app.schema.json`. Then add "$schema": "../../app.schema.json" to the app file, or
            name the schema in the editor's settings. `associated lint` checks more than a schema can express.
            """,
        operands: Operands(usage: "[app|server]", counts: 0...1), options: []
    ) { arguments in
        switch arguments.operands.first ?? "app" {
        case "app": Console.output(data: SourceWriter.canonical(AppFileSchema.value))
        case "server": Console.output(data: SourceWriter.canonical(SettingsSchema.value))
        case let other: return .usage(saying: "no schema of \(other); name app or server")
        }
        return .success
    }
}
