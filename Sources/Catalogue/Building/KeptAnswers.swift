// What a host has been given before, for whoever makes the host again: an answer that is still right is taken from there, and its
// bytes are copied from image to image without being made again.

import HTTP

/// Bytes in the image of a layer, which stay where they are as long as this is kept.
public struct KeptBytes: Hashable, Sendable {
    let layer: CatalogueLayer
    let blob: Blob

    public var count: Int { Int(blob.count) }

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

    /// What the host itself answers for a path; nil when it has nothing there.
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
    /// What a host has here, wildcards named with their asterisk; nil when it has no site.
    public func keptAnswers(of host: String) -> KeptAnswers? {
        let key = Array((host.hasPrefix("*.") ? host.dropFirst() : host[...]).utf8)
        for layer in layers {
            guard let site = unsafe key.withUnsafeBytes({ unsafe layer.view.find($0) }) else { continue }
            return layer.view.isServed(site) ? KeptAnswers(layer: layer, site: site) : nil
        }
        return nil
    }
}
