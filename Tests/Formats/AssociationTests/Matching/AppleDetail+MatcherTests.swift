import Association
import AssociationSamples
import Testing

@Suite struct AppleDetailMatcherTests {
    @Test(
        arguments: [
            (#""components": [{"/": "/a"}], "paths": ["/b"]"#, true, false), (#""paths": ["/b"]"#, false, true),
            (#""components": []"#, false, false), (#""defaults": {"exclude": true}"#, true, true),
            (#""components": [{"/": "/A"}], "defaults": {"caseSensitive": false}"#, true, false),
        ])
    func `only one list of an entry counts`(members: String, opensA: Bool, opensB: Bool) throws {
        let text = Texts.entry(members)
        let links = try #require(AppleAssociation.read(Array(text.utf8), file: "f").association?.applinks)
        let matcher = try #require(links.details.first).matcher(in: links)
        let opens = try ["/a", "/b"].map { matcher.decide(try #require(LinkURL("https://acme.test\($0)"))).opens }
        #expect(opens == [opensA, opensB])
    }
}
