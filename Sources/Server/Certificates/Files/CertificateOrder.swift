// The places of a name's certificate, in the order in which they are searched. Handshakes, signers, lint and redirects to TLS use
// this list. For `a.shop.example.com`:
//
//   1. hosts/a.shop.example.com
//   2. hosts/_wildcard.shop.example.com, then hosts/_wildcard.example.com, then hosts/_wildcard.com
//   3. if there is a development authority: a certificate issued by it
//   4. hosts/_default
//
// The first folder with a `fullchain.pem` decides, even if its files are broken: using the certificate of another folder instead
// would hide the problem. For a name without a certificate in `hosts`, the manager's folder of the same name is used.

import TLS

/// One place where a name's certificate may be.
enum CertificateCandidate: Hashable, Sendable {
    case folder(CertificateFolder)
    case development
}

enum CertificateOrder {
    private static let wildcardPrefix: StaticString = "_wildcard."
    private static let fallbackName: StaticString = "_default"
    /// Longer names of folders do not exist (`NAME_MAX`).
    private static let folderBytesMax = 255

    /// Lends the folders for a name in the order in which they are searched, and nil for a certificate of the development authority,
    /// until `isLast` is true. Allocates nothing.
    static func visit(_ name: Span<UInt8>, _ isLast: (Span<UInt8>?) -> Bool) {
        let isWildcard = name.count > 2 && name[0] == UInt8(ascii: "*") && name[1] == UInt8(ascii: ".")
        let host = name.extracting((isWildcard ? 2 : 0)...)
        if name.isEmpty {
            if !visitFallback(isLast) { _ = isLast(nil) }
        } else if !HostName.isValid(host) {
            _ = visitFallback(isLast)
        } else if isWildcard || !isLast(name), !visitWildcards(over: host, isIncluded: isWildcard, isLast), !isLast(nil)
        {
            _ = visitFallback(isLast)
        }
    }

    private static func visitFallback(_ isLast: (Span<UInt8>?) -> Bool) -> Bool {
        fallbackName.withUTF8Buffer { unsafe isLast(Span(_unsafeElements: $0)) }
    }

    /// The wildcard of the host itself, if it is included, and those of the names above it.
    private static func visitWildcards(
        over host: Span<UInt8>, isIncluded: Bool, _ isLast: (Span<UInt8>?) -> Bool
    ) -> Bool {
        let prefixBytes = wildcardPrefix.utf8CodeUnitCount
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: prefixBytes + host.count) { room in
            for index in host.indices { unsafe room[prefixBytes + index] = host[index] }
            var start = isIncluded ? 0 : label(of: host, after: 0)
            for _ in 1..<CertificateLimits.labelsMax where start < host.count {
                // Into the bytes before the rest of the name, which are needed no more.
                for index in 0..<prefixBytes { unsafe room[start + index] = wildcardPrefix.utf8Start[index] }
                let folder = unsafe UnsafeBufferPointer(rebasing: room[start...])
                if folder.count <= folderBytesMax, unsafe isLast(Span(_unsafeElements: folder)) { return true }
                start = label(of: host, after: start)
            }
            return false
        }
    }

    /// Where the label behind the next dot begins; the end of the name if there is none.
    private static func label(of host: Span<UInt8>, after start: Int) -> Int {
        for index in start..<host.count where host[index] == UInt8(ascii: ".") { return index + 1 }
        return host.count
    }

    /// All places for a name in lower case, which may be `*.example.com`. The empty name is for clients that send no name. A name
    /// that is not a host name has only `_default`.
    static func candidates(for name: String) -> [CertificateCandidate] {
        var candidates: [CertificateCandidate] = []
        visit(Array(name.utf8).span) { folder in
            if let folder {
                let name = unsafe folder.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
                candidates.append(.folder(CertificateFolder(name: name)))
            } else {
                candidates.append(.development)
            }
            return false
        }
        return candidates
    }
}
