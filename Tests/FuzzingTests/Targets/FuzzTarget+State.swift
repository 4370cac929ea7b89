// What is kept from one start to the next: files that were torn, cut, flipped, or written by an attacker who knows how the
// checksums go. Such a file is refused, or whatever it says can be read without leaving it.

import Glibc
import HTTP
import Posix

@testable import Catalogue
@testable import Hosting

extension FuzzTarget {
    static let state = FuzzTarget(
        name: "state", summary: "state files, mapped: any bytes, and hostile ones whose checksums are right"
    ) { bytes in
        var choices = Choices(bytes)
        let isHonest = choices.isTrue()
        let input = Array(choices.rest)
        let file = try ScratchFile("first", isHonest ? StateInput.withChecksums(input) : input)
        guard let state = try? StateFile(file.path, key: "key") else { return }
        for section in StateSection.allCases {
            guard (try? state.verify(section)) != nil, let bytes = try? state.bytes(section) else { continue }
            // Every byte is there.
            _ = bytes.reduce(0 as UInt8) { $0 ^ $1 }
        }
        if let records = try? TenantRecords(state) { StateInput.read(records) }
        guard let layer = try? CatalogueLayer(state) else { return }
        try StateInput.read(layer)
    }

    static let records = FuzzTarget(
        name: "records", summary: "the records of a state file, which say what was read to make it"
    ) { bytes in
        let layer = CatalogueBuilder().finish()
        let (records, texts) = (bytes, Array(bytes.prefix(100)))
        let name = "first"
        let written: Bool = records.withUnsafeBytes { records in
            texts.withUnsafeBytes { texts in
                (try? StateFile.draft(
                    of: name, in: ScratchFile.folder, key: "key", layer: layer,
                    [(.records, [records]), (.texts, [texts])]
                ).putInPlace()) != nil
            }
        }
        try demand(written, "the state could not be written")
        guard let state = try? StateFile("\(ScratchFile.folder)/\(name)", key: "key") else {
            throw Complaint("what was written cannot be read")
        }
        guard let read = try? TenantRecords(state) else { return }
        StateInput.read(read)
        // What was understood is written as something that is understood again, and means the same.
        let again = read.encoded()
        try demand(again.records.count > 0, "records without bytes")
    }
}

private enum StateInput {
    /// A file whose header is made for what follows it: the input has the numbers of its places, and then its sections.
    static func withChecksums(_ input: [UInt8]) -> [UInt8] {
        let image = Array(input.dropFirst(8))
        var header = StateHeader()
        // Where one section ends and the next begins is up to the input.
        let cut = min(image.count, input.prefix(2).reduce(0) { $0 << 8 | Int($1) })
        let parts = [Array(image[..<cut]), Array(image[cut...])]
        var body: [UInt8] = []
        for (section, part) in zip([StateSection.layer, .records], parts) {
            part.withUnsafeBytes {
                header.add(section, [$0])
                body += part + [UInt8](repeating: 0, count: StateHeader.gap(behind: [$0]))
            }
        }
        let texts = Array("texts of the last good versions".utf8)
        texts.withUnsafeBytes { header.add(.texts, [$0]) }
        body += texts
        body += [UInt8](repeating: 0, count: texts.withUnsafeBytes { StateHeader.gap(behind: [$0]) })
        var page = header.bytes(key: "key")
        // Places that lie: an offset or a count of a section, as the input wants it.
        if input.count > 8, input[2] & 1 == 1 {
            let field = 48 + Int(input[3]) % 12 * 8
            for index in 0..<4 { page[field + index] = input[4 + index] }
            page.replaceSubrange(40..<48, with: [UInt8](repeating: 0, count: 8))
            let checksum = page.withUnsafeBytes { Checksum.of($0) }
            withUnsafeBytes(of: checksum) { page.replaceSubrange(40..<48, with: $0) }
        }
        return page + body
    }

    static func read(_ records: TenantRecords) { for (_, record) in records.apps { _ = record?.good?.text.bytes } }

    /// Everything that a request could lead to.
    static func read(_ layer: CatalogueLayer) throws(Complaint) {
        let catalogue = Catalogue(layers: [layer], sharedPages: layer)
        let view = catalogue.view
        var sum: UInt8 = 0
        func look(_ bytes: UnsafeRawBufferPointer) { for byte in bytes { sum ^= byte } }
        func look(_ form: AnswerForm) {
            for part in [form.fields, form.sharedFields, form.contentType, form.otherFields, form.entityTag] {
                look(part)
            }
            if form.file == nil { look(form.body) }
        }
        func look(_ answer: Answer) {
            _ = (answer.kind, answer.status, answer.lastModified)
            look(answer.form(.identity))
            if answer.hasGzip { look(answer.form(.gzip)) }
        }
        let inner = layer.view
        let hosts = layer.hosts.prefix(20) + ["a.example", "h1.example", "x.h1.example"]
        for host in hosts {
            let name = Array(host.utf8)
            guard let site = view.site(host: name.span) else { continue }
            let record = inner.sites[Int(site.index)]
            var paths: [[UInt8]] = [Array("/".utf8), Array("/p/1".utf8), Array("/a.b".utf8)]
            for route in record.routes.range { paths.append(Array(inner.bytes(inner.routes[route].path).prefix(500))) }
            let query = Array("q=1&q=&r".utf8)
            for path in paths.prefix(50) {
                path.withUnsafeBytes { path in
                    if let answer = view.answer(site, path: path) { look(answer) }
                    if let answer = view.fallback(site, path: path) { look(answer) }
                }
                guard let landing = view.landing(site, path: path.span, query: query.span) else { continue }
                look(landing.form)
                for index in 0..<landing.segmentCount { look(landing[index].text) }
            }
        }
        _ = (layer.removedHosts, layer.staleHosts, catalogue.siteCount, sum)
    }
}
