// The certificates that sign an Android app, from its APK, its App Bundle or a certificate file. Signatures are not verified: this only
// says whose they claim to be. The file may be anything, so no length in it is trusted, and only the parts that name certificates are
// read: the end of an APK's central directory and its signing block, or, if there is none, the directory and the JAR signature.

import TLS

/// A file with the certificates in it.
public struct SignedApp: Sendable {
    public let kind: Kind
    /// Each certificate once: those that sign first, in the order of the schemes.
    public private(set) var certificates: [Certificate] = []

    public enum Kind: String, Sendable { case apk, bundle, certificate }

    /// The schemes of Android's signatures.
    public enum Scheme: String, CaseIterable, Sendable {
        case v1, v2, v3
        /// For Android 13 and later, beside v3 for earlier versions.
        case v31 = "v3.1"
    }

    /// A certificate and what it is in the file.
    public struct Certificate: Hashable, Sendable {
        /// In hexadecimal digits, lower case.
        public let fingerprint: String
        /// The schemes in which it signs the file; empty for a certificate file.
        public internal(set) var signs: [Scheme] = []
        /// The schemes whose signer replaced it: an earlier key of the lineage.
        public internal(set) var precedes: [Scheme] = []
    }

    /// A part of the file at an offset, of this many bytes or fewer at its end.
    public typealias PartReader = (_ offset: Int, _ count: Int) throws(SigningProblem) -> [UInt8]

    /// More than any app has.
    private static let certificatesMax = 64
    /// Of a certificate file, which may have text beside the certificates.
    private static let certificateBytesMax = 1 << 20

    /// - Parameters:
    ///   - byteCount: of the file.
    ///   - expand: the content of a gzip member; nil if it is none, or too long.
    public init(
        byteCount: Int, read: PartReader, expand: (_ gzip: [UInt8], _ bytesMax: Int) -> [UInt8]?
    ) throws(SigningProblem) {
        let head = try read(0, 4)
        guard head == [0x50, 0x4B, 3, 4] || head == [0x50, 0x4B, 5, 6] else {
            guard byteCount <= SignedApp.certificateBytesMax else { throw .noApp }
            kind = .certificate
            for der in try CertificateFile.certificates(in: try read(0, byteCount)) { try add(der) }
            return
        }
        let archive = try ZIPArchive(byteCount: byteCount, read: read)
        var found: [SigningBlock.Mention] = []
        for (scheme, value) in try SigningBlock.values(before: archive.directory.lowerBound, read: read) {
            found += try SigningBlock.mentions(in: value, scheme)
        }
        guard found.isEmpty else {
            kind = .apk
            for mention in found.filter({ !$0.isEarlier }) + found.filter(\.isEarlier) {
                try add(mention.certificate, mention.scheme, isEarlier: mention.isEarlier)
            }
            return
        }
        let names = try archive.entries(read: read)
        kind = try SignedApp.kind(of: names.map(\.name))
        for entry in names.filter(\.isSignature).prefix(SignedApp.certificatesMax) {
            try add(try JARSignature.signer(in: try archive.content(of: entry, read: read, expand: expand)), .v1)
        }
        if certificates.isEmpty {
            throw SigningProblem("it is not signed; build it with a signing configuration, or sign it with apksigner")
        }
    }

    private static func kind(of names: [String]) throws(SigningProblem) -> Kind {
        if names.contains("BundleConfig.pb") { return .bundle }
        if names.contains("AndroidManifest.xml") { return .apk }
        if let apk = names.first(where: { $0.hasSuffix(".apk") }) {
            throw SigningProblem("it is an archive of APKs; unpack it, and name one of them, such as \(apk)")
        }
        throw .noApp
    }

    private mutating func add(
        _ der: [UInt8], _ scheme: Scheme? = nil, isEarlier: Bool = false
    ) throws(SigningProblem) {
        let fingerprint = Digest.hexadecimal(Digest.sha256(der))
        let index = certificates.firstIndex { $0.fingerprint == fingerprint } ?? certificates.count
        if index == certificates.count {
            guard index < SignedApp.certificatesMax else {
                throw SigningProblem("it has more than \(SignedApp.certificatesMax) certificates")
            }
            certificates.append(Certificate(fingerprint: fingerprint))
        }
        guard let scheme else { return }
        let list = isEarlier ? \Certificate.precedes : \Certificate.signs
        // The last element of a lineage is the signer itself.
        if certificates[index].signs.contains(scheme) || certificates[index][keyPath: list].contains(scheme) { return }
        certificates[index][keyPath: list].append(scheme)
    }
}

/// Why a file names no certificate, in words that follow its name.
public struct SigningProblem: Error, Hashable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    static let noApp = SigningProblem("it is no APK, no App Bundle and no certificate")
    static func damaged(_ part: String) -> SigningProblem {
        SigningProblem("\(part) is damaged, or the file is truncated")
    }
}

/// Bytes that are read from the front; no length in them is trusted.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>
    /// What it is a part of, for messages.
    private let part: String

    init(_ bytes: ArraySlice<UInt8>, _ part: String) { (rest, self.part) = (bytes, part) }

    var isEmpty: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) throws(SigningProblem) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw .damaged(part) }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number with its lowest byte first. One that is too large for any length is refused as such.
    mutating func number(bytes count: Int) throws(SigningProblem) -> Int {
        let value = try bytes(count).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let number = Int(exactly: value) else { throw .damaged(part) }
        return number
    }

    /// The bytes behind a length of four bytes.
    mutating func block() throws(SigningProblem) -> ByteReader {
        ByteReader(try bytes(try number(bytes: 4)), part)
    }
}
