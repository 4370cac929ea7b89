// The list of hosts that the manager reads.

import Testing

@testable import Administration

struct ServedHostsTests {
    @Test func `reads back what it writes, sorted by name`() {
        let served = ServedHosts(digest: "00ff", hosts: ["b.example.com", "*.example.com", "a.example.com"])
        #expect(
            String(decoding: served.json, as: UTF8.self)
                == #"{"digest":"00ff","hosts":"*.example.com/a.example.com/b.example.com"}"#)
        #expect(ServedHosts(json: served.json) == served)
        let none = ServedHosts(digest: "0", hosts: [])
        #expect(ServedHosts(json: none.json) == none)
    }

    @Test func `ignores members of a later version`() {
        let text = #"{ "later": [1], "hosts": "a/b", "digest": "00ff" }"#
        #expect(ServedHosts(json: Array(text.utf8)) == ServedHosts(digest: "00ff", hosts: ["a", "b"]))
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"digest":"00ff"}"#, #"{"hosts":""}"#, #"{"digest":1,"hosts":""}"#,
        #"{"digest":"","hosts":""}"#, #"{"digest":"../status","hosts":""}"#, #"{"digest":"00FF","hosts":""}"#,
        #"{"digest":"00ff","hosts":["a"]}"#, #"{"digest":"00ff","hosts":{"a":"b"}}"#,
        #"{"digest":"00ff","hosts":null}"#,
        #"{"digest":"00ff","hosts":"b/a"}"#, #"{"digest":"00ff","hosts":"a/a"}"#, #"{"digest":"00ff","hosts":"a/"}"#,
        #"{"digest":"00ff","hosts":"/a"}"#, #"{"digest":"00ff","hosts":"a//b"}"#, #"{"digest":"00ff","hosts":"a b"}"#,
        #"{"digest":"00ff","hosts":"a\n"}"#, #"{"digest":"00ff","hosts":"é.example"}"#,
        #"{"digest":"00ff","hosts":"a",}"#, #"{"digest":"00ff","hosts":"a"} b"#, #"{"digest":"00ff","hosts":"a"#,
    ])
    func `rejects anything else`(text: String) {
        #expect(ServedHosts(json: Array(text.utf8)) == nil)
    }

    @Test(arguments: [(255, true), (256, false)])
    func `a name has a longest length`(count: Int, isAccepted: Bool) {
        let served = ServedHosts(digest: "0", hosts: [String(repeating: "a", count: count)])
        #expect((ServedHosts(json: served.json) != nil) == isAccepted)
    }

    @Test(arguments: [(64, true), (65, false)])
    func `a digest has a longest length`(count: Int, isAccepted: Bool) {
        let served = ServedHosts(digest: String(repeating: "a", count: count), hosts: [])
        #expect((ServedHosts(json: served.json) != nil) == isAccepted)
    }

    @Test(arguments: [(2, true), (3, false), (1_000, false)])
    func `rejects a list with too many hosts`(count: Int, isAccepted: Bool) {
        let served = ServedHosts(digest: "0", hosts: (0..<count).map { "h\($0).example.com" })
        #expect((ServedHosts(json: served.json, hostsMax: 2) != nil) == isAccepted)
    }

    @Test(arguments: [(1_000, true), (ServedHosts.bytesMax, false)])
    func `rejects a list with too many bytes`(more: Int, isAccepted: Bool) {
        let bytes = Samples.served.json + [UInt8](repeating: 0x20, count: more)
        #expect((ServedHosts(json: bytes) != nil) == isAccepted)
    }

    /// Each row: the hosts of a large tenant, the bytes of its folder's name, the limits, and how many hosts are left out.
    @Test(
        arguments: [
            (8, 1, 10, 100_000, 0), (9, 1, 10, 100_000, 1), (90, 1, 10, 100_000, 82),
            (9, 1, 100, 2_000, 0), (9, 200, 100, 2_000, 5), (9, 2_000, 100, 2_000, 9),
        ])
    func `a tenant with too many hosts loses some of them, and others none`(
        count: Int, folderBytes: Int, hostsMax: Int, bytesMax: Int, omitted: Int
    ) throws {
        let large = (0..<count).map { "a\($0).example.com" }
        let folder = String(repeating: "a", count: folderBytes)
        let folders = Dictionary(uniqueKeysWithValues: large.map { ($0, folder) } + [("small.example.org", "b\u{1}\"")])
        let served = ServedHosts(
            digest: "0", hosts: large + ["small.example.org", "single.example.org"], folders: folders,
            hostsMax: hostsMax, bytesMax: bytesMax)
        #expect(served.omittedCount == omitted)
        #expect(served.names.split(separator: "/").suffix(2) == ["single.example.org", "small.example.org"])
        #expect(served.folders.split(separator: "/", omittingEmptySubsequences: false).count == count + 2 - omitted)
        #expect(served.json.count <= bytesMax)
        #expect(ServedHosts(json: served.json, hostsMax: hostsMax) == served)
    }

    @Test(arguments: [("", "/served"), ("ab12", "/served/ab12")])
    func `asks with what the manager has`(digest: String, path: String) {
        #expect(ServedHosts.path(unless: digest) == path)
    }
}
