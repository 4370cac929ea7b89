// The import rule against small good and bad files.

import Testing

struct HouseRuleImportsTests {
    @Test(arguments: [
        ("Sources/Formats/HTTP/A.swift", "import Foundation", "HTTP may not import Foundation, only Libc"),
        ("Sources/Formats/SourceJSON/A.swift", "public import Glibc", "SourceJSON may not import Glibc, only nothing"),
        (
            "Sources/Server/Engine/A.swift", "@preconcurrency import struct Hosting.Loader",
            "Engine may not import Hosting"
        ),
        ("Sources/Server/Hosting/Deep/A.swift", "package import COpenSSL", "Hosting may not import COpenSSL"),
        ("Sources/System/Posix/Files/A.swift", "import CLinux", "Posix may not import CLinux"),
        ("Sources/Program/associated/Commands/A.swift", "import Management", "associated may not import Management"),
        ("Tests/Formats/HTTPTests/A.swift", "@testable import Posix", "HTTP may not import Posix"),
    ])
    func `refuses a door that is not in the table`(path: String, line: String, message: String) {
        let violations = HouseRule.imports.check(SourceFile(path: path, "// Opening.\n\(line)\n"))
        #expect(violations.count == 1)
        #expect(violations.first?.line == 2)
        #expect(violations.first?.message.hasPrefix(message) == true)
    }

    @Test(arguments: [
        ("Sources/Formats/HTTP/A.swift", "import Libc"),
        ("Sources/System/Posix/Linux/Deep/A.swift", "import CLinux"),
        ("Sources/Formats/Association/A.swift", "public import SourceJSON"),
        ("Sources/Formats/HTTP/A.swift", "// import Foundation"),
        ("Sources/Formats/HTTP/A.swift", "let text = \"import Foundation\""),
        ("Tests/Formats/HTTPTests/A.swift", "@testable import HTTP"),
        ("Tests/EndToEndTests/A.swift", "import Engine"),
    ])
    func `lets through what is allowed`(path: String, line: String) {
        #expect(HouseRule.imports.check(SourceFile(path: path, line)).isEmpty)
    }
}
