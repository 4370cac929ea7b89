// The two languages this module reads. One scanner reads both: it understands the larger one and a good deal of what is
// in neither, and the dialect decides which deviations are problems.

/// Which language a text claims to be written in.
public enum SourceDialect: String, Hashable, Sendable, CaseIterable {
    /// RFC 8259 and nothing else: what phones and verifiers read.
    case json
    /// JSON5 (spec.json5.org, version 1.0.0): what people may write.
    case json5
}
