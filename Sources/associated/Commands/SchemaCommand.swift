// `associated schema`: what editors want to know of app files.

import Association
import SourceJSON

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
