// Where links of tenants may lead, beside the tenant's own folder: directories of the operator, such as those that certbot
// keeps certificates in.

import CLinux
import Glibc

/// Directories that an operator has named.
public struct LinkTargets: Hashable, Sendable {
    public let paths: [String]

    public init(_ paths: [String]) { self.paths = paths }

    /// No directory but a tenant's own.
    public static let none = LinkTargets([])
    /// Where certbot keeps certificates and keys, and the links to the newest of them.
    public static let certbot = LinkTargets(["/etc/letsencrypt/live", "/etc/letsencrypt/archive"])

    /// These directories and those.
    public func adding(_ other: LinkTargets) -> LinkTargets { LinkTargets(paths + other.paths) }

    /// Whether one of them is or holds a directory by its path, whether it is there already or not.
    public func hold(directory path: String) -> Bool {
        let place = RealPath(named: path)
        return paths.contains { place.isBeneath(RealPath(named: $0)) }
    }

    /// Whether one of them is or holds a place. They are looked at each time, because each may be a link that is turned.
    func contain(_ place: RealPath) -> Bool {
        paths.contains { path in
            let number = retrying { unsafe associated_find(AT_FDCWD, path) }
            guard number >= 0 else { return false }
            let found = Descriptor(takingOwnershipOf: number)
            guard let root = try? RealPath(of: found.number) else { return false }
            return place.isBeneath(root)
        }
    }
}

/// Where something that is open really is, as the kernel says, without any link. The corresponding C call is `readlink` of
/// `/proc/self/fd/N`.
struct RealPath: Equatable {
    private let bytes: [UInt8]

    init(of number: Int32) throws(SystemError) {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe max(0, readlink("/proc/self/fd/\(number)", buffer.baseAddress!, buffer.count))
        }
        // What has no path (a pipe, a directory of another mount namespace) is beneath nothing.
        guard bytes.first == CChar(UInt8(ascii: "/")) else { throw SystemError(call: "readlink", number: EXDEV) }
        self.bytes = bytes.map { UInt8(bitPattern: $0) }
    }

    init(_ path: String) { bytes = Array(path.utf8) }

    /// What a path leads to; the path itself where there is nothing yet.
    init(named path: String) {
        let number = retrying { unsafe associated_find(AT_FDCWD, path) }
        if number >= 0 {
            let found = Descriptor(takingOwnershipOf: number)
            if let real = try? RealPath(of: found.number) {
                self = real
                return
            }
        }
        self.init(Directory.absolute(path))
    }

    /// Whether this is the other place, or below it.
    func isBeneath(_ other: RealPath) -> Bool {
        if bytes == other.bytes || other.bytes == [UInt8(ascii: "/")] { return true }
        return bytes.starts(with: other.bytes) && bytes.dropFirst(other.bytes.count).first == UInt8(ascii: "/")
    }

    /// Whether this is a directory of that name in a hidden folder of another place. Kubernetes mounts a tree in this way:
    /// each name is a link to the same name behind `..data`, and that is turned from one version to the next.
    func isVersion(of name: String, in root: RealPath) -> Bool {
        guard isBeneath(root) else { return false }
        let names = bytes.dropFirst(root.bytes.count).split(separator: UInt8(ascii: "/"))
        return names.count > 1 && names.dropLast().allSatisfy { $0.first == UInt8(ascii: ".") }
            && names.last.map { $0.elementsEqual(name.utf8) } == true
    }
}
