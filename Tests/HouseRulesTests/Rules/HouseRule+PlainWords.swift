// Plain words: what every document, comment, message and test name is written without.

extension HouseRule {
    static let plainWords = HouseRule(name: "plain words") { file in
        // The rule itself and its tests name the words.
        file.path.contains("HouseRule+PlainWords") ? [] : PlainWords.violations(in: file)
    }
}

/// The words to avoid, and what to write in their place.
enum PlainWords {
    struct Entry: Sendable {
        /// One word or several; `a|b` stands for either.
        var phrase: String
        var instead: String
        /// The words before it with which it is another word.
        var unlessBehind: Set<String> = []
        fileprivate var parts: [Set<String>] = []

        init(_ phrase: String, _ instead: String, unlessBehind: Set<String> = []) {
            (self.phrase, self.instead, self.unlessBehind) = (phrase, instead, unlessBehind)
            parts = phrase.split(separator: " ").map { Set($0.split(separator: "|").map(String.init)) }
        }
    }

    static let list = [
        Entry("nobody|nobody's", "the thing: no client, no process, no tenant", unlessBehind: ["user"]),
        Entry("whoever|whomever|whom", "the thing: the client, the operator, the process", unlessBehind: ["kill"]),
        Entry("somebody|somebody's|anybody|anybody's", "the thing: a client, another process, any tenant"),
        Entry("those who", "the thing: clients that, operators that"), Entry("as it stands", "as it is, or nothing"),
        Entry("be it", "whether, or a list"), Entry("mend|mends|mended|mending", "fix, repair"), Entry("anew", "again"),
        Entry("want of", "without, because there is no"),
        Entry("written|writes|write|writing over", "overwritten, overwrite"), Entry("in vain", "without a result"),
        Entry("of ours", "our, or nothing"), Entry("is|are|was|were|be|been passed over", "skipped"),
        Entry("shut|shuts away", "restrict, sandbox"), Entry("as a rule", "usually"),
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        let words = ProseWord.all(of: file)
        return words.indices.compactMap { index in
            entry(at: index, in: words).map { entry in
                let found = words[index..<index + entry.parts.count].map(\.text).joined(separator: " ")
                return Violation(
                    path: file.path, line: words[index].line, message: "\"\(found)\"; write \(entry.instead)")
            }
        }
    }

    /// Their entries, by each first word.
    private static let byFirstWord = Dictionary(
        list.flatMap { entry in (entry.parts.first ?? []).map { ($0, [entry]) } }, uniquingKeysWith: +)

    private static func entry(at index: Int, in words: [ProseWord]) -> Entry? {
        byFirstWord[words[index].text]?.first { entry in
            guard index + entry.parts.count <= words.count else { return false }
            let follows = entry.parts.indices.allSatisfy { entry.parts[$0].contains(words[index + $0].text) }
            return follows && (index == 0 || !entry.unlessBehind.contains(words[index - 1].text))
        }
    }
}

/// One word that people read, in lower case; where a clause ends, one without letters.
struct ProseWord {
    var text: String
    var line: Int

    /// The bytes of a word, and those that end a clause.
    private static let letters = (UInt8.min...UInt8.max).map {
        (0x61...0x7A).contains($0 | 0x20) || $0 == UInt8(ascii: "'")
    }
    private static let ends = (UInt8.min...UInt8.max).map { ".;:!?()|,".utf8.contains($0) }

    /// The words of a document, or of the comments, literals and test names of Swift source.
    static func all(of file: SourceFile) -> [ProseWord] {
        var words: [ProseWord] = []
        for (index, line) in file.text.prose.enumerated() { append(line, index + 1, to: &words) }
        return words
    }

    private static func append(_ text: String, _ line: Int, to words: inout [ProseWord]) {
        var word: [UInt8] = []
        var isEscaped = false
        for byte in Array(text.utf8) + [UInt8(ascii: " ")] {
            if letters[Int(byte)], !isEscaped {
                word.append(byte | 0x20)
                continue
            }
            if !word.isEmpty {
                words.append(ProseWord(text: String(decoding: word, as: UTF8.self), line: line))
                word.removeAll(keepingCapacity: true)
            }
            if ends[Int(byte)] { words.append(ProseWord(text: "", line: line)) }
            isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        }
    }
}
