// Words that a plane does not use, each with what to write instead. The measured costs are in docs/decisions.

extension HouseRule {
    static let words = HouseRule(name: "no word that the plane may not use") { file in
        guard let module = file.module, !file.isTest else { return [] }
        return forbiddenWords(in: module).flatMap { word, instead in
            SourceText.lines(of: file.text.code, containing: word).map {
                Violation(path: file.path, line: $0, message: "\(module.name) does not use `\(word)`; \(instead)")
            }
        }
    }

    /// What clients and tenants wrote is escaped in one place, so there is no other way out.
    static let output = HouseRule(name: "only Console writes to standard output and standard error") { file in
        guard file.module != nil, !file.isTest else { return [] }
        let words = [
            "STDOUT_FILENO", "STDERR_FILENO", "stdout", "stderr", "print(", "debugPrint(", "dump(", "puts(", "fputs(",
            "printf(", "perror(", "FileHandle",
        ]
        return words.flatMap { word in
            SourceText.lines(of: file.text.code, containing: word).map {
                Violation(
                    path: file.path, line: $0,
                    message:
                        "`\(word)`; a command uses Console, a server Log, and everything else returns what there is to say"
                )
            }
        }
    }

    private static func forbiddenWords(in module: Module) -> [(word: String, instead: String)] {
        switch module.plane {
        case .data: everywhere + still + bytes
        case .pure: everywhere + still + checked + (module.name == "Association" ? exact : [])
        case .control: everywhere
        }
    }

    private static let everywhere = [
        ("try!", "throw a typed error or return the outcome as a value"),
        ("fatalError(", "use precondition for a bug, and a value for what input can cause"),
    ]

    private static let still = [
        ("any ", "use a generic parameter or an enum: an existential is boxed and called through a table"),
        ("Task", "use a thread of Posix: no runtime schedules anything here"),
        ("async", "return an outcome such as .wantsRead and be called again"),
        ("await", "return an outcome such as .wantsRead and be called again"),
    ]

    private static let checked = [
        ("unsafe", "use values whose memory the compiler checks: this module reads what strangers write")
    ]

    /// `\u{301}` behind a slash hides it from these.
    private static let exact = [
        (".hasPrefix", "use begins(with:), which compares bytes as phones do"),
        (".hasSuffix", "use ends(with:), which compares bytes as phones do"),
    ]

    private static let bytes = [("Foundation", "use Glibc through Posix"), ("Data(", "use a Span or [UInt8]")]
}
