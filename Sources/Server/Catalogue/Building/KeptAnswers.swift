// The answers that a host had before, for rendering the host again: an answer that is still right is reused, and its bytes are
// copied from image to image instead of being rendered.

import HTTP

/// Bytes in the image of a layer. Holding this value keeps them.
public struct KeptBytes: Hashable, Sendable {
    let layer: CatalogueLayer
    let blob: Blob

    public static func == (left: KeptBytes, right: KeptBytes) -> Bool {
        left.layer === right.layer && left.blob == right.blob
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(layer))
        hasher.combine(blob)
    }
}

/// The answers that a host has in one catalogue.
public struct KeptAnswers: Sendable {
    let layer: CatalogueLayer
    let site: Int

    /// The host's own answer for a path, if it has one.
    public subscript(path: String) -> PreparedAnswer? {
        var path = path
        let found = path.withUTF8 { unsafe layer.view.answer(site, path: UnsafeRawBufferPointer($0)) }
        return found.map { answer in
            PreparedAnswer(
                kind: answer.kind, status: answer.status, lastModified: answer.lastModified,
                identity: representation(answer.form(.identity)),
                gzip: answer.hasGzip ? representation(answer.form(.gzip)) : nil)
        }
    }

    private func representation(_ form: AnswerForm) -> Representation {
        let type = unsafe form.contentType.dropFirst("content-type: ".utf8.count).dropLast(2)
        let file = form.record.file
        return unsafe Representation(
            sharedFields: FieldLines(prepared: form.sharedFields),
            contentType: String(decoding: type, as: UTF8.self), bodyFields: FieldLines(prepared: form.otherFields),
            entityTag: String(decoding: form.entityTag, as: UTF8.self),
            content: file >= 0
                ? .file(layer.file(Int(file))) : .kept(KeptBytes(layer: layer, blob: form.record.body)))
    }
}

extension Catalogue {
    /// The answers of a configured host (`*.example.com` for a wildcard); nil when it has no site.
    public func keptAnswers(of host: String) -> KeptAnswers? {
        site(of: host).map { KeptAnswers(layer: $0.layer, site: $0.number) }
    }
}
