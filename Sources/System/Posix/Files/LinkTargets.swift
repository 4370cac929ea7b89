// The directories outside of a tenant's own folder into which its symbolic links may lead: directories of the operator, such as
// those in which certbot stores certificates.

import CPosix
import Libc

/// Directories that the operator has named.
public struct LinkTargets: Hashable, Sendable {
    public let paths: [String]

    public init(_ paths: [String]) { self.paths = paths }

    public static let none = LinkTargets([])
    /// Where certbot stores certificates and keys, and the links to the newest ones.
    public static let certbot = LinkTargets(["/etc/letsencrypt/live", "/etc/letsencrypt/archive"])

    public func adding(_ other: LinkTargets) -> LinkTargets { LinkTargets(paths + other.paths) }

    /// Whether one of them is, or contains, the directory at a path, which need not exist.
    public func contain(directory path: String) -> Bool {
        let place = RealPath(named: path)
        return paths.contains { place.isBeneath(RealPath(named: $0)) }
    }

    /// Whether one of them is, or contains, a place. They are resolved each time, because each may be a link that is replaced.
    func contain(_ place: RealPath) -> Bool {
        paths.contains { RealPath(resolving: $0).map(place.isBeneath) ?? false }
    }
}

/// The path of an open file without links, as the kernel states it. The corresponding C calls are `readlink` of
/// `/proc/self/fd/N`, and `fcntl` with `F_GETPATH`.
struct RealPath: Equatable {
    private let bytes: [UInt8]

    init(of number: Int32) throws(SystemError) {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe associated_real_path(number, buffer.baseAddress!, buffer.count)
        }
        // A pipe, or a directory of another mount namespace, has no path.
        guard bytes.first == CChar(UInt8(ascii: "/")) else { throw SystemError(call: "readlink", number: EXDEV) }
        self.bytes = bytes.map { UInt8(bitPattern: $0) }
    }

    init(_ path: String) { bytes = Array(path.utf8) }

    /// The resolved path; the path itself if it does not exist yet.
    init(named path: String) { self = RealPath(resolving: path) ?? RealPath(Directory.absolute(path)) }

    /// The resolved path; nil if it does not exist.
    init?(resolving path: String) {
        guard let found = try? Folder.find(path, from: AT_FDCWD), let real = try? RealPath(of: found.number) else {
            return nil
        }
        self = real
    }

    /// Whether this is the other path, or below it.
    func isBeneath(_ other: RealPath) -> Bool {
        if bytes == other.bytes || other.bytes == [UInt8(ascii: "/")] { return true }
        return bytes.starts(with: other.bytes) && bytes.dropFirst(other.bytes.count).first == UInt8(ascii: "/")
    }

    /// Whether this is a directory of that name in a hidden folder of `root`. Kubernetes mounts a tree in this way: each name is
    /// a link to the same name in `..data`, which is itself a link that is replaced with each version.
    func isVersion(of name: String, in root: RealPath) -> Bool {
        guard isBeneath(root) else { return false }
        let names = bytes.dropFirst(root.bytes.count).split(separator: UInt8(ascii: "/"))
        return names.count > 1 && names.dropLast().allSatisfy { $0.first == UInt8(ascii: ".") }
            && names.last.map { $0.elementsEqual(name.utf8) } == true
    }
}
