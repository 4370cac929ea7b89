// Reads the codes of `associated qr` with a reader of QR codes, from an image and from the text of a terminal.

import Foundation
import Testing

@Suite(
    .enabled(
        if: ["zbarimg", "rsvg-convert"].allSatisfy { CompletionTests.path(of: $0) != nil },
        "script/peers installs a reader of QR codes, and could not"))
struct QRCommandTests {
    /// A short URL, one with characters that are escaped, and the longest of level M and of level L.
    static let urls: [(typed: String, read: String)] =
        [
            ("https://shop.example.com/products/1", "https://shop.example.com/products/1"),
            ("shop.example.com:8443/ä?a=1&b=2#<c>", "https://shop.example.com:8443/%C3%A4?a=1&b=2#<c>"),
        ]
        + [300, 2331, 2953].map { count in
            let url = String("https://shop.example.com/" + String(repeating: "0aZ-._~/", count: 400)).prefix(count)
            return (String(url), String(url))
        }

    private func read(_ image: String, in folder: Folder) throws -> String {
        // Without a message bus, zbarimg complains on standard error.
        try Subject.shell("cd '\(folder.path)' && zbarimg --quiet --raw -Sdisable -Sqrcode.enable \(image)").output
    }

    @Test(arguments: urls)
    func `a reader reads the image`(typed: String, read: String) throws {
        let folder = try Folder()
        let run = try Subject.run("qr", "--svg", typed)
        try #require(run.status == 0, "\(run.errors)")
        try folder.write("code.svg", run.output)
        let drawing = try Subject.shell("cd '\(folder.path)' && rsvg-convert --zoom 4 code.svg --output code.png")
        #expect(drawing.status == 0, "\(drawing.errors)")
        #expect(try self.read("code.png", in: folder) == "\(read)\n")
    }

    @Test(arguments: urls)
    func `a reader reads the text of a terminal`(typed: String, read: String) throws {
        let folder = try Folder()
        let lines = try Subject.run("qr", typed).output.split(separator: "\n")
        // A plain bitmap, in which 1 is black; four dots for each module, so that the reader has lines to follow.
        let rows = lines.flatMap { line in
            ["█▀", "█▄"].map { light in
                line.map { String(repeating: light.contains($0) ? "0 " : "1 ", count: 4) }.joined()
            }
        }
        let bitmap = rows.flatMap { Array(repeating: $0, count: 4) }.joined(separator: "\n")
        try folder.write("code.pbm", "P1\n\(4 * (lines.first?.count ?? 0)) \(4 * rows.count)\n\(bitmap)\n")
        #expect(try self.read("code.pbm", in: folder) == "\(read)\n")
    }
}
