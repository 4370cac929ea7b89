// What only the whole package shows: names that stand for two things, and targets without folders.

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

    /// Targets that had too many files without a folder when the rule came. The numbers may only become smaller.
    private static let flat = [
        "Tests/Web/ACMETests": 17, "Tests/Program/AdministrationTests": 17, "Tests/EndToEndTests": 52,
        "Tests/Server/EngineTests": 33,
        "Tests/Formats/HTTPTests": 18, "Tests/Server/HostingTests": 48, "Tests/HouseRulesTests": 14,
        "Tests/Manager/IssuanceTests": 21,
        "Tests/System/PosixTests": 36, "Tests/Formats/SourceJSONTests": 25, "Tests/System/TLSTests": 19,
    ]
    private static let filesMax = 12

    @Test func `a module or target with more than a dozen files has folders`() {
        var counts: [String: Int] = [:]
        for file in SourceTree.swiftFiles {
            let folders = file.path.split(separator: "/").dropLast()
            let isLayered = folders.count > 2 && Layer(rawValue: String(folders[1])) != nil
            if folders.count == (isLayered ? 3 : 2) { counts[folders.joined(separator: "/"), default: 0] += 1 }
        }
        for (target, count) in counts where count > PackageNamesTests.flat[target] ?? PackageNamesTests.filesMax {
            Issue.record("\(target) has \(count) files beside its folders; put them into folders by their topic")
        }
        for (target, count) in PackageNamesTests.flat where counts[target] ?? 0 <= PackageNamesTests.filesMax {
            Issue.record("\(target) no longer needs its number \(count) in the list")
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
