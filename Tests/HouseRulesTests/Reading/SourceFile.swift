// One file of the tree and where it stands in it.

import Foundation

/// A file as the rules see it.
struct SourceFile {
    /// From the project's top folder, with slashes: `Sources/Formats/HTTP/Method.swift`.
    var path: String
    var text: SourceText

    init(path: String, _ content: String) {
        self.path = path
        text = SourceText(content, isSwift: path.hasSuffix(".swift"))
    }

    private var folders: [Substring] { path.split(separator: "/").dropLast() }

    /// `Method` of `Sources/Formats/HTTP/Method.swift`.
    var name: String { String((path as NSString).lastPathComponent.dropLast(".swift".count)) }

    var isTest: Bool { folders.first == "Tests" }

    /// The module it belongs to or, for a test, the module it tests; nil for tests of no single module.
    var module: Module? {
        folders.lazy.compactMap { folder in
            if !isTest { return ModuleTable.module(named: String(folder)) }
            return folder.hasSuffix("Tests") ? ModuleTable.module(named: String(folder.dropLast("Tests".count))) : nil
        }.first
    }

    /// Whether the file decides anything, and other modules can call it.
    var offersLogic: Bool {
        let decides = ["if", "guard", "switch", "for", "while", "repeat"].contains(where: containsCode)
        return decides
            && ["func", "init"].contains { containsCode("public \($0)") || containsCode("public static \($0)") }
    }

    private func containsCode(_ words: String) -> Bool { !SourceText.lines(of: text.code, containing: words).isEmpty }
}
