// The APK Signing Block, which is right before the central directory of an APK: pairs of an id and a value. The values of the signature
// schemes v2, v3 and v3.1 name the certificates (source.android.com, "APK Signature Scheme v2" and "v3").

enum SigningBlock {
    /// A certificate in a value.
    struct Mention {
        let certificate: [UInt8]
        let scheme: SignedApp.Scheme
        /// Whether it is one of the lineage that leads to the signer, which may include the signer.
        let isEarlier: Bool
    }

    private static let magic = Array("APK Sig Block 42".utf8)
    /// The length of the block, before and behind its pairs, and the magic number.
    private static let footerBytes = 24
    private static let part = "its signing block"
    /// Stores and build tools add pairs of their own; the block of an app has about five.
    private static let pairsMax = 256
    private static let valueBytesMax = 1 << 20
    private static let lineageID = 0x3BA0_6F8C
    private static let schemes: [Int: SignedApp.Scheme] = [0x7109_871A: .v2, 0xF053_68C0: .v3, 0x1B93_AD61: .v31]

    /// The values of the schemes, in their order; none without a block.
    static func values(
        before end: Int, read: SignedApp.PartReader
    ) throws(SigningProblem) -> [(scheme: SignedApp.Scheme, value: [UInt8])] {
        guard end >= footerBytes + 8 else { return [] }
        var footer = ByteReader(try read(end - footerBytes, footerBytes)[...], part)
        let size = try? footer.number(bytes: 8)
        guard Array(footer.rest) == magic else { return [] }
        guard let size, size >= footerBytes, size <= end - 8 else { throw .damaged(part) }
        var position = end - size
        var values: [(scheme: SignedApp.Scheme, value: [UInt8])] = []
        for _ in 0..<pairsMax where position < end - footerBytes {
            var head = ByteReader(try read(position, 12)[...], part)
            let (length, id) = (try head.number(bytes: 8), try head.number(bytes: 4))
            guard length >= 4, length <= end - footerBytes - position - 8 else { throw .damaged(part) }
            if let scheme = schemes[id] {
                guard length <= valueBytesMax else { throw .damaged(part) }
                values.append((scheme, try read(position + 12, length - 4)))
            }
            position += 8 + length
        }
        guard position == end - footerBytes else { throw .damaged(part) }
        return values.sorted { $0.scheme.rawValue < $1.scheme.rawValue }
    }

    /// The signers that a value names, and their lineages.
    static func mentions(in value: [UInt8], _ scheme: SignedApp.Scheme) throws(SigningProblem) -> [Mention] {
        var mentions: [Mention] = []
        var whole = ByteReader(value[...], part)
        var signers = try whole.block()
        while !signers.isEmpty {
            var signer = try signers.block()
            var data = try signer.block()
            _ = try data.block()
            var certificates = try data.block()
            // The first certificate is that of the signature; the others are its chain.
            mentions.append(
                Mention(certificate: Array(try certificates.block().rest), scheme: scheme, isEarlier: false))
            if scheme == .v2 { continue }
            // The lowest and the highest version of Android.
            _ = try data.bytes(8)
            var attributes = try data.block()
            while !attributes.isEmpty {
                var attribute = try attributes.block()
                guard try attribute.number(bytes: 4) == lineageID else { continue }
                _ = try attribute.number(bytes: 4)
                while !attribute.isEmpty {
                    var level = try attribute.block()
                    var signed = try level.block()
                    let certificate = Array(try signed.block().rest)
                    mentions.append(Mention(certificate: certificate, scheme: scheme, isEarlier: true))
                }
            }
        }
        guard mentions.allSatisfy({ $0.certificate.first == 0x30 }) else { throw .damaged(part) }
        return mentions
    }
}
