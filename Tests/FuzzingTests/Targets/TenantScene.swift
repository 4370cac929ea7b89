// The tree in which a hostile tenant is played: `config/` and `public/` with an honest tenant, and the three places that
// belong to the hostile one. Nothing is ever written elsewhere, whatever links there are: that would be a right which the
// tenant does not have.

import Glibc

/// The folders of one play, in memory where the system has such a place.
struct TenantScene {
    static let honestHost = "good.example"
    /// In files that no answer may have a byte of.
    static let secret = "NEVER-IN-AN-ANSWER"
    /// In a page of the honest tenant.
    static let page = "<p>honest</p>"

    let root: String
    private let places: [String]

    init() throws(Complaint) {
        root = "\(ScratchFile.folder)/street"
        places = ["config/apps/evil", "config/hosts/evil.example", "public/evil.example"].map { [root] in
            "\(root)/\($0)"
        }
        remove()
        for folder in [
            "", "/outside", "/config", "/config/apps", "/config/apps/good", "/config/hosts",
            "/config/hosts/good.example", "/config/hosts/good.example/well-known", "/public", "/public/good.example",
        ] { mkdir(root + folder, 0o755) }
        for place in places { mkdir(place, 0o755) }
        let pem = "-----BEGIN PRIVATE KEY-----\n\(TenantScene.secret)\n-----END PRIVATE KEY-----\n"
        for (path, text) in [
            ("config/hosts/good.example/privkey.pem", pem), ("outside/secret.txt", TenantScene.secret),
            ("config/server.json", "{ \"//\": \"\(TenantScene.secret)\" }"),
            ("config/hosts/good.example/well-known/security.txt", "Contact: mailto:a@good.example\n"),
            ("public/good.example/page.html", TenantScene.page),
            (
                "config/apps/good/a.json",
                """
                { name: "G", guard: "off", hosts: ["good.example"], ios: { appIDs: ["8KQ2V7M4XN.dev.good.a"] },
                  links: [{ "/": "/good/?*" }] }
                """
            ),
        ] { write(Array("\(root)/\(path)".utf8CString), Array(text.utf8)) }
        guard access("\(root)/config/apps/good/a.json", R_OK) == 0 else { throw Complaint("cannot write \(root)") }
    }

    /// A path in one of the tenant's places, with zero at its end; nil where it would lead out of it, by a link as well.
    func path(_ choices: inout Choices) -> [CChar]? {
        var path = Array(places[choices.number(below: places.count)].utf8)
        let parts = name(&choices).split(separator: UInt8(ascii: "/")).filter {
            !$0.isEmpty && $0.count < 256 && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
        }
        guard !parts.isEmpty, parts.count < 20 else { return nil }
        for (index, part) in parts.enumerated() {
            path += [UInt8(ascii: "/")] + part
            if index == parts.count - 1 { break }
            let folder = path.map { CChar(bitPattern: $0) } + [0]
            mkdir(folder, 0o755)
            var status = stat()
            guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        }
        return path.count < Int(PATH_MAX) ? path.map { CChar(bitPattern: $0) } + [0] : nil
    }

    private static let names = [
        "x", "y", "z", "x/x", "x/y", "y/x", "a.json", "b.json", "x/a.json", "x/y/b.json", "well-known",
        "well-known/x", "well-known/y", "well-known/x/y", "well-known/assetlinks.json", "well-known/privkey.pem",
        "well-known/apple-app-site-association", "well-known/change-password", "well-known/x.txt", "privkey.pem",
        "fullchain.pem", "index.html", "landing.html", "robots.txt", "x/index.html", "large.bin", ".hidden", "..data",
        "..data/a.json", "~", "x\ny", "x\u{1B}[31m", "\u{202E}txt", "x%2Fy", "-rf", "good.example", "evil.example",
    ]

    private func name(_ choices: inout Choices) -> [UInt8] {
        let number = choices.number(below: TenantScene.names.count + 1)
        return number < TenantScene.names.count ? Array(TenantScene.names[number].utf8) : choices.text()
    }

    func write(_ path: [CChar], _ bytes: [UInt8]) {
        let fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o644)
        guard fd >= 0 else { return }
        defer { close(fd) }
        // The honest tenant's key by a hard link: another user's file, which cannot be written to.
        var status = stat()
        guard fstat(fd, &status) == 0, status.st_nlink == 1, ftruncate(fd, 0) == 0 else { return }
        _ = Glibc.write(fd, bytes, bytes.count)
    }

    func link(_ path: [CChar], to target: [CChar]) { symlink(target, path) }

    /// Takes everything away that the tenant has made.
    func clear() {
        for place in places {
            TenantScene.remove(place)
            mkdir(place, 0o755)
        }
    }

    func remove() { TenantScene.remove(root) }

    private static func remove(_ path: String) { remove(Array(path.utf8CString)) }

    /// With everything in it; a link goes, and not what it leads to.
    private static func remove(_ path: [CChar]) {
        if Glibc.remove(path) == 0 { return }
        guard let folder = opendir(path) else { return }
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                $0.prefix { $0 != 0 }.map { CChar(bitPattern: $0) }
            }
            if name == [46] || name == [46, 46] { continue }
            remove(path.dropLast() + [47] + name + [0])
        }
        closedir(folder)
        rmdir(path)
    }
}
