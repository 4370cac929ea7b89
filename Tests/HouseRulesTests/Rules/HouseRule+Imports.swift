// The doors between the modules: an import that the table does not allow is a wall with a hole in it.

extension HouseRule {
    static let imports = HouseRule(name: "imports follow the module table") { file in
        guard let module = file.module else { return [] }
        var allowed = module.mayImport
        if file.isTest {
            allowed.formUnion(ModuleTable.toolchain)
            allowed.formUnion([module.name, "Testing", "Foundation", "TestSupport"])
            // A module that serves TLS is tested with a client, which is OpenSSL's, and with certificates for development.
            if allowed.contains("TLS") { allowed.formUnion(["COpenSSL", "Certificates", "TLSSupport"]) }
            if module.name.hasPrefix("Association") { allowed.insert("AssociationSamples") }
            if allowed.contains("Database") { allowed.insert("DatabaseSupport") }
            if allowed.contains("ACME") { allowed.insert("ACMESupport") }
            if allowed.contains("DNS") { allowed.insert("DNSSupport") }
            // What makes requests is tested with what carries them.
            if module.name == "ACME" { allowed.insert("Client") }
            // What writes JSON without reading any is tested with our own strict reader.
            if module.name == "Telemetry" { allowed.insert("SourceJSON") }
        }
        let isEverywhere = !ModuleTable.linuxOnly.contains(module.name) && !file.path.contains("/Linux/")
        if !file.isTest, isEverywhere { allowed.subtract(ModuleTable.linuxOnly) }
        return file.text.code.enumerated().compactMap { number, line in
            guard let name = importedModule(line), !allowed.contains(name) else { return nil }
            let choice = allowed.isEmpty ? "nothing" : allowed.sorted().joined(separator: ", ")
            return Violation(
                path: file.path, line: number + 1,
                message: "\(module.name) may not import \(name), only \(choice); "
                    + "move the code to a module that may, or pass the value in")
        }
    }

    /// `HTTP` of `@testable public import struct HTTP.Method`.
    static func importedModule(_ line: String) -> String? {
        let words = line.split(separator: " ")
        guard let position = words.firstIndex(of: "import"), position + 1 < words.count else { return nil }
        let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        guard words[..<position].allSatisfy({ $0.hasPrefix("@") || modifiers.contains($0) }) else { return nil }
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        let named = kinds.contains(words[position + 1]) ? words.dropFirst(position + 2).first : words[position + 1]
        return named?.split(separator: ".").first.map(String.init)
    }
}
