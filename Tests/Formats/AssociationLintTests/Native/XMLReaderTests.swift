// Well-formed text is read, other text gives an error with its place, and nothing traps.

import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

struct XMLReaderTests {
    private func fault(_ text: String) -> XMLReader.Fault? {
        do throws(XMLReader.Fault) {
            _ = try XMLReader.root(of: Array(text.utf8))
            return nil
        } catch { return error }
    }

    @Test func `reads elements, attributes and text`() throws {
        let text = """
            <?xml version="1.0"?><!DOCTYPE x [ <!ENTITY y "z"> ]>
            <!-- <not/> --><x a:b='1 &lt; 2' c = "&amp;&#65;&#x42;&other;"><y/>t<![CDATA[<&]]><y d=">">u</y>v</x> rest
            """
        let root = try XMLReader.root(of: Array(text.utf8))
        #expect(root.name == "x" && root.text == "t<&v")
        #expect(root.attribute("b") == "1 < 2" && root.attribute("c") == "&AB&other;" && root.attribute("a") == nil)
        #expect(root.children.map(\.text) == ["", "u"] && root.children[1].attribute("d") == ">")
        #expect(String(decoding: Array(text.utf8)[root.children[1].tag], as: UTF8.self) == "<y d=\">\">")
        #expect(String(decoding: Array(text.utf8)[root.children[1].content], as: UTF8.self) == "u")
        #expect(root.all("y").count == 2)
    }

    @Test(arguments: [
        ("", 0), ("x", 1), ("<x>", 3), ("<x", 2), ("<x></y>", 3), ("</x>", 0), ("<x a></x>", 4), ("<x a=b></x>", 5),
        ("<x a='1></x>", 5), ("<x><!-- </x>", 3), ("<x><![CDATA[</x>", 3), ("<>", 1), ("<x>& <", 6),
    ])
    func `reports where a text is not well-formed`(text: String, offset: Int) {
        #expect(fault(text)?.offset == offset, "\(text)")
    }

    @Test(arguments: [(64, true), (65, false)])
    func `rejects elements nested deeper than the limit`(depth: Int, isRead: Bool) {
        let text = String(repeating: "<x>", count: depth) + String(repeating: "</x>", count: depth)
        #expect((fault(text) == nil) == isRead)
    }

    @Test func `never traps on damaged text`() {
        let text = Array("<?x?><!DOCTYPE a [<!b>]><x a:b='&#x41;'><y/><![CDATA[<&]]>t</x>".utf8)
        var random = SplitMix(seed: 7)
        for _ in 0..<5_000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes = Array(bytes[..<place]) + [0x3C]
                }
                if bytes.isEmpty { break }
            }
            _ = try? XMLReader.root(of: bytes)
            _ = Linter.lint(entitlements: bytes, file: "f") + Linter.lint(manifest: bytes, file: "f")
        }
    }
}
