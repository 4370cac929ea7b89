// Which app files the console shows: those that are in the folder of their tenant.

import Posix
import TestSupport
import Testing

@testable import Management

struct ConsoleLinkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("manager.key", "secret")
        try folder.write("apps/own.json", "own")
        try folder.write("apps/acme/shop.json", "shop")
        try folder.write("apps/acme/more/deep.json5", "deep")
        try folder.write("apps/acme/notes.txt", "notes")
        try folder.write("apps/other/app.json", "other")
        for (link, target) in [
            ("key", "../../manager.key"), ("other", "../other/app.json"), ("far", "\(folder.path)/manager.key"),
            ("near", "more/deep.json5"),
        ] {
            try folder.link("apps/acme/\(link).json", to: target)
        }
        try folder.link("apps/alias", to: "acme")
    }

    @Test(arguments: [
        ("own.json", "own"), ("acme/shop.json", "shop"), ("acme/more/deep.json5", "deep"), ("acme/near.json", "deep"),
        ("acme/key.json", nil), ("acme/far.json", nil), ("acme/other.json", nil), ("alias/shop.json", nil),
        ("acme/notes.txt", nil), ("acme/../other/app.json", nil), ("/acme/shop.json", nil), ("acme//shop.json", nil),
        ("acme/missing.json", nil), ("../manager.key", nil), ("acme/shop.json\0", nil), ("", nil),
    ])
    func `shows the files of a tenant's folder, and none to which a link leads out of it`(path: String, text: String?)
        throws
    {
        let server = try #require(SocketAddress(ip: "127.0.0.1", port: 1))
        #expect(ConsoleLink(server: server, configPath: folder.path, statePath: "state").appFile(path) == text)
    }
}
