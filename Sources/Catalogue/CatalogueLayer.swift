// One layer of the catalogue: an image and the files that it names. Where the image lies, in memory of its own or in a
// mapped file, makes no difference to its readers.

import Posix

/// Sites, and marks for sites that are gone. Never changed.
public final class CatalogueLayer: @unchecked Sendable {
    private let storage: Storage
    /// The image's size in bytes.
    public let byteCount: Int
    /// Nil where a mapped layer names a file that is not there any more; no site leads to it.
    private let files: [OpenFile?]
    /// Hosts that were taken out when the layer was mapped, because a file of theirs has changed meanwhile. Whoever mapped
    /// it makes them anew.
    public let staleHosts: [String]
    /// The descriptors of `files`, as readers want them.
    private let descriptors: UnsafeMutableBufferPointer<Int32>
    let view: LayerView

    /// What keeps the image where it is.
    enum Storage: ~Copyable {
        case built(Memory)
        case mapped(StateFile, UnsafeRawPointer)

        var base: UnsafeRawPointer {
            switch self {
            case .built(let memory): UnsafeRawPointer(memory.bytes.baseAddress!)
            case .mapped(_, let base): base
            }
        }
    }

    init(_ storage: consuming Storage, files: [OpenFile?], staleHosts: [String] = []) {
        let descriptors = UnsafeMutableBufferPointer<Int32>.allocate(capacity: files.count)
        _ = descriptors.initialize(fromContentsOf: files.map { $0?.number ?? -1 })
        view = LayerView(base: storage.base, descriptors: UnsafeBufferPointer(descriptors))
        byteCount = Int(storage.base.load(as: ImageHeader.self).byteCount)
        self.storage = storage
        self.files = files
        self.staleHosts = staleHosts
        self.descriptors = descriptors
    }

    deinit { descriptors.deallocate() }

    /// The image, as long as this is kept.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: view.base, count: byteCount) }

    func file(_ number: Int) -> OpenFile {
        guard let file = files[number] else { preconditionFailure("a site without its files was taken out") }
        return file
    }
}
