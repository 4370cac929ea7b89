// What a module offers to others has a test file of its own name, so that a reader finds the one from the other. What it
// keeps to itself is tested through that.

extension HouseRule {
    /// Held where a test needs nothing but values: the modules without input and output.
    static let testCompanion = testCompanion(testFiles: Set(SourceTree.swiftFiles.filter(\.isTest).map(\.name)))

    static func testCompanion(testFiles: Set<String>) -> HouseRule {
        HouseRule(name: "a source file has a test file of the same name") { file in
            guard !file.isTest, let module = file.module, module.isValuesOnly, file.offersLogic else { return [] }
            // `Type+AspectTests` for an aspect with much to test, otherwise its lines in `TypeTests`.
            let type = file.name.prefix { $0 != "+" }
            if testFiles.contains("\(file.name)Tests") || testFiles.contains("\(type)Tests") { return [] }
            return [
                Violation(
                    path: file.path, line: 1,
                    message:
                        "no test file of its name; add Tests/\(module.layer.rawValue)/\(module.name)Tests/\(file.name)Tests.swift"
                )
            ]
        }
    }
}
