// One layer of the catalogue: an image and the files that it names. Where the image lies, in memory of its own or in a
// mapped file, makes no difference to its readers.

import Posix

/// Sites, and marks for sites that are gone. Never changed.
public final class CatalogueLayer: @unchecked Sendable {
    private let storage: Storage
    /// The image's size in bytes.
    public let byteCount: Int
    private let files: [OpenFile]
    /// The descriptors of `files`, as readers want them.
    private let descriptors: UnsafeMutableBufferPointer<Int32>
    let view: LayerView

    /// What keeps the image where it is.
    enum Storage: ~Copyable {
        case built(Memory)

        var base: UnsafeRawPointer {
            switch self {
            case .built(let memory): UnsafeRawPointer(memory.bytes.baseAddress!)
            }
        }
    }

    init(_ storage: consuming Storage, files: [OpenFile]) {
        let descriptors = UnsafeMutableBufferPointer<Int32>.allocate(capacity: files.count)
        _ = descriptors.initialize(fromContentsOf: files.map(\.number))
        view = LayerView(base: storage.base, descriptors: UnsafeBufferPointer(descriptors))
        byteCount = Int(storage.base.load(as: ImageHeader.self).byteCount)
        self.storage = storage
        self.files = files
        self.descriptors = descriptors
    }

    deinit { descriptors.deallocate() }

    /// The image: written to a file, it can be mapped as a layer again.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: view.base, count: byteCount) }

    func file(_ number: Int) -> OpenFile { files[number] }
}
