// The immutable table from host and path to prepared answers. Workers read it through a `CatalogueView`, a plain value of
// pointers into the image: no class is touched and nothing is counted on the way of a request.

import Posix

/// Everything that is served, at one moment. Replaced whole, never changed.
public final class Catalogue: @unchecked Sendable {
    private let image: Memory
    private let tables: Tables
    private let files: [OpenFile]
    /// The descriptors of `files`, as readers want them.
    private let descriptors: UnsafeMutableBufferPointer<Int32>

    /// Where the tables lie in the image.
    struct Tables: Sendable {
        var slotsAt: Int
        var slotMask: Int
        var sitesAt: Int
        var siteCount: Int
        var routesAt: Int
        var answersAt: Int
        var landingsAt: Int
        var rulesAt: Int
        var itemsAt: Int
        var segmentsAt: Int
    }

    init(image: consuming Memory, tables: Tables, files: [OpenFile]) {
        self.image = image
        self.tables = tables
        self.files = files
        descriptors = .allocate(capacity: files.count)
        _ = descriptors.initialize(fromContentsOf: files.map(\.number))
    }

    deinit { descriptors.deallocate() }

    /// How many hosts, wildcards counted once, have something to serve.
    public var siteCount: Int { tables.siteCount }

    /// The image's size in bytes.
    public var byteCount: Int { image.bytes.count }

    /// A way to read it, valid as long as the catalogue is kept.
    public var view: CatalogueView {
        CatalogueView(
            base: UnsafeRawPointer(image.bytes.baseAddress!), tables: tables,
            descriptors: UnsafeBufferPointer(descriptors))
    }
}
