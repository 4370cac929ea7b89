// What only the whole package shows: names that stand for two things, and folders without parts.

import Testing

struct PackageNamesTests {
    private static let sources = SourceTree.swiftFiles.filter { !$0.isTest }
    private static let keywords: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]

    /// The type that a line declares at file level.
    private static func declaredType(_ line: String) -> String? {
        guard line.first?.isWhitespace == false else { return nil }
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.prefix(6)
        guard let keyword = words.firstIndex(where: keywords.contains), keyword + 1 < words.count,
            !words[..<keyword].contains("func")
        else { return nil }
        return String(words[keyword + 1])
    }

    @Test func `no two types of the package have one name`() {
        var places: [String: [String]] = [:]
        for file in PackageNamesTests.sources {
            for name in file.text.code.compactMap(PackageNamesTests.declaredType) {
                places[name, default: []].append(file.path)
            }
        }
        #expect(places.count > 300)
        for (name, paths) in places where paths.count > 1 {
            Issue.record(
                "\(name) is declared in \(paths.joined(separator: " and ")); the search for one finds the other")
        }
    }

    @Test func `a module with more than a dozen files has folders`() {
        var counts: [String: Int] = [:]
        for file in PackageNamesTests.sources {
            let folders = file.path.split(separator: "/")
            if folders.count == 3 { counts[String(folders[1]), default: 0] += 1 }
        }
        for (module, count) in counts where count > 12 {
            Issue.record(
                "Sources/\(module) has \(count) files beside its folders; put them into folders by their topic")
        }
    }

    @Test(arguments: [
        ("@safe public struct Memory: ~Copyable {", "Memory"), ("private final class A<T> {", "A"),
        ("typealias Slot = Int", "Slot"), ("    struct Inner {", nil), ("let type = 1", nil),
    ])
    func `finds the type that a line declares`(line: String, name: String?) {
        #expect(PackageNamesTests.declaredType(line) == name)
    }
}
