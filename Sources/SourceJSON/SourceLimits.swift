// Every limit of reading, each with its unit and its reason. RFC 8259 §9 lets a reader set limits on size, depth and
// the length of numbers; what exceeds one is a named problem like any other.

/// How much a text may ask of its reader.
public struct SourceLimits: Hashable, Sendable {
    /// Brackets open at once. A value is destroyed recursively, so its depth is stack; real files need about eight.
    public var depth: Int { didSet { depth = Self.clampedDepth(depth) } }
    /// Bytes of the file, before decoding. Apple reads 128 KiB; anything near this limit is not an association file.
    public var bytes: Int { didSet { bytes = Self.clampedBytes(bytes) } }
    /// Bytes of one number. Converting a number takes time that grows with its length.
    public var numberBytes: Int
    /// Values in the text. Each takes about a hundred bytes of memory and half a microsecond, where its source may take two bytes.
    /// An app file at its bounds (10,000 hosts, app ids and rules) has about 100,000; the largest association file that was found
    /// in use has 2,869.
    public var values: Int
    /// Problems recorded. Nobody reads more, and a hostile text could hold millions.
    public var problems: Int

    /// The greatest depth that can be asked for: destroying a value this deep fits a thread with 512 KiB of stack.
    public static let depthMax = 1_024

    public static let standard = SourceLimits()

    public init(
        depth: Int = 512, bytes: Int = 16 * 1_024 * 1_024, numberBytes: Int = 1_000, values: Int = 200_000,
        problems: Int = 100
    ) {
        self.depth = Self.clampedDepth(depth)
        self.bytes = Self.clampedBytes(bytes)
        self.numberBytes = numberBytes
        self.values = values
        self.problems = max(1, problems)
    }

    /// Offsets are kept in 32 bits, and decoding can double the bytes.
    private static func clampedBytes(_ bytes: Int) -> Int { min(max(0, bytes), 1 << 30) }

    private static func clampedDepth(_ depth: Int) -> Int { min(max(0, depth), depthMax) }
}
