// A layer from a state file. Its bytes stay where they are; only the files that it sends from their own places are opened
// again, and a site that has one which is not the same any more is taken out, for the caller to make it anew.

import Posix

extension CatalogueLayer {
    /// The layer of a state file, which was verified. Every number in it is checked before it is used.
    public convenience init(_ state: StateFile) throws(StateProblem) {
        let bytes = try state.mutableBytes(.layer)
        guard ImageCheck.isSound(UnsafeRawBufferPointer(bytes)) else { throw .damaged(.layer) }
        let files = CatalogueLayer.openFiles(UnsafeRawBufferPointer(bytes))
        let staleHosts = CatalogueLayer.takeOutSites(bytes, without: files)
        self.init(.mapped(state, UnsafeRawPointer(bytes.baseAddress!)), files: files, staleHosts: staleHosts)
    }

    /// The files that the image names, nil where there is another one now.
    private static func openFiles(_ bytes: UnsafeRawBufferPointer) -> [OpenFile?] {
        let place = bytes.load(as: ImageHeader.self).files
        return (0..<Int(place.count)).map { index in
            let offset = Int(place.offset) + index * MemoryLayout<FileRecord>.stride
            let record = bytes.load(fromByteOffset: offset, as: FileRecord.self)
            let start = Int(record.path.offset)
            let path = String(decoding: bytes[start..<start + Int(record.path.count)], as: UTF8.self)
            guard let file = try? OpenFile(path), file.inode == record.inode,
                file.byteCount == Int(record.byteCount), file.modifiedNanoseconds == record.modifiedNanoseconds
            else { return nil }
            return file
        }
    }

    /// Marks the sites that need a file which is not there, and says which they are. Only this process sees the marks.
    private static func takeOutSites(_ bytes: UnsafeMutableRawBufferPointer, without files: [OpenFile?]) -> [String] {
        if !files.contains(where: { $0 == nil }) { return [] }
        let view = LayerView(
            base: UnsafeRawPointer(bytes.baseAddress!), descriptors: UnsafeBufferPointer(start: nil, count: 0))
        func isStale(_ form: RepresentationRecord) -> Bool { form.file >= 0 && files[Int(form.file)] == nil }
        let stale = (0..<view.answerCount).map { isStale(view.answers[$0].identity) || isStale(view.answers[$0].gzip) }
        let sites = Int(bytes.load(as: ImageHeader.self).sites.offset)
        var hosts: [String] = []
        for index in 0..<view.siteCount where !view.isRemoved(index) {
            var site = view.sites[index]
            let routes = Int(site.firstRoute)..<Int(site.firstRoute) + Int(site.routeCount)
            let answers =
                routes.map { Int(view.routes[$0].answer) } + (site.fallback > 0 ? [Int(site.fallback) - 1] : [])
            guard answers.contains(where: { stale[$0] }) else { continue }
            hosts.append(view.host(index))
            site.flags |= SiteRecord.isRemoved
            bytes.storeBytes(
                of: site, toByteOffset: sites + index * MemoryLayout<SiteRecord>.stride, as: SiteRecord.self)
        }
        return hosts
    }
}
