// The module table in three places: as data here, in Package.swift for the compiler and in docs/architecture.md for
// people. They must say the same.

import Testing

struct ModuleTableTests {
    @Test(arguments: ModuleTable.modules)
    func `docs/architecture.md draws the same doors`(module: Module) throws {
        let lines = try SourceTree.content(of: "docs/architecture.md").split(separator: "\n")
        let rows = lines.filter { $0.hasPrefix("| `\(module.name)` |") }
        try #require(rows.count == 1, "the table has \(rows.count) rows for \(module.name)")
        let cells = rows[0].split(separator: "|")
        let drawn = Set(cells.last?.split(separator: "`").filter { $0.first?.isLetter == true }.map(String.init) ?? [])
        #expect(drawn == module.mayImport)
    }

    /// The fuzzers are a package of their own, with some of the modules.
    @Test(arguments: ModuleTable.modules, ["Package.swift", "Fuzzing/Package.swift"])
    func `a manifest depends on the same modules`(module: Module, path: String) throws {
        let manifest = try SourceTree.content(of: path)
        let targets = try #require(manifest.firstRange(of: #/: \[Target\] = \[|\n    targets: \[/#)).upperBound
        let place = "\"\(module.name)\", in: \"\(module.layer.rawValue)\""
        let found = [place, "name: \"\(module.name)\","].compactMap { manifest[targets...].firstRange(of: $0) }.first
        guard let target = found else { return #expect(path.hasPrefix("Fuzzing/"), "no target \(module.name)") }
        let declaration = manifest[target.upperBound...].prefix { $0 != ")" }
        let lists = declaration.matches(of: /\[([^\]]*)\]/).map(\.1)
        let names = Set(
            lists.flatMap { $0.split(separator: "\"") }.filter { $0.first?.isLetter == true }.map(String.init))
        #expect(names == module.mayImport.subtracting(ModuleTable.toolchain))
    }

    /// `swift build -c release` builds every module that is not a test target, and release builds are not testable.
    @Test func `no module of an ordinary build imports another with @testable`() throws {
        let manifest = try SourceTree.content(of: "Package.swift")
        let supporting = manifest.matches(of: /\.target\(\s*name: "(\w+)"[^()]*path: "Tests\//).map { String($0.1) }
        #expect(supporting.contains("TestSupport"))
        let files = SourceTree.swiftFiles.filter { file in
            supporting.contains { file.path.hasPrefix("Tests/\($0)/") } || file.path.hasPrefix("Sources/")
        }
        for file in files {
            #expect(!file.text.code.contains { $0.hasPrefix("@testable") }, "\(file.path) builds only with the tests")
        }
    }

    @Test func `the file that the image's build writes the commit into is there`() throws {
        let line = try #require(
            SourceTree.content(of: "Dockerfile").split(separator: "\n").first { $0.contains("let commit") })
        let path = try #require(line.split(separator: " ").first { $0.hasPrefix("Sources/") })
        #expect(try SourceTree.content(of: String(path)).contains("static let commit = \"unknown\""))
    }

    @Test func `the manifest leaves out on other platforms what the table says`() throws {
        let manifest = try SourceTree.content(of: "Package.swift")
        let server = try #require(
            manifest.firstMatch(of: /\nlet server: \[Target\] = \[\n(.*?)\n\]\n/.dotMatchesNewlines())?.1)
        let names = server.matches(of: /(?:name: |module\(\s*)"(\w+)"/).map { String($0.1) }
        #expect(Set(names) == ModuleTable.linuxOnly)
    }

    @Test func `modules are listed from the bottom up, so there is no circle`() {
        var below = ModuleTable.toolchain.union([
            "CLinux", "CPosix", "COpenSSL", "CZlib", "CResolver", "CSQLite", "CPostgreSQL",
        ])
        for module in ModuleTable.modules {
            #expect(module.mayImport.isSubset(of: below), "\(module.name) imports something above itself")
            below.insert(module.name)
        }
    }

    @Test func `a folder imports only itself and those above it`() throws {
        for module in ModuleTable.modules {
            for other in module.mayImport.compactMap(ModuleTable.module) where !module.layer.mayImport(other.layer) {
                Issue.record(
                    "\(module.name) in \(module.layer.rawValue)/ imports \(other.name) of \(other.layer.rawValue)/")
            }
        }
        #expect(!Layer.manager.mayImport(.server) && !Layer.server.mayImport(.manager) && Layer.program.mayImport(.web))
    }

    @Test func `every folder of Sources is in the table`() {
        let folders = Set(
            SourceTree.swiftFiles.filter { !$0.isTest }.map { file in
                file.path.split(separator: "/")[1...2].joined(separator: "/")
            })
        #expect(folders.sorted() == ModuleTable.modules.map { "\($0.layer.rawValue)/\($0.name)" }.sorted())
    }
}
