// A text file that is generated for a person, such as one of an app's project. Nothing here writes it.

public struct GeneratedFile: Sendable {
    /// The path below the output folder.
    public internal(set) var name: String
    public let text: String
    /// Whether projects have a file of this name with content of their own, which must not be lost.
    public let isFragment: Bool

    public init(name: String, text: String, isFragment: Bool = false) {
        (self.name, self.text, self.isFragment) = (name, text, isFragment)
    }

    /// What became of a file in a folder: a fragment of one that exists is merged into it if nothing is lost, and otherwise written
    /// beside it; any other file that exists is kept.
    public enum Outcome: Sendable { case created, unchanged, merged, beside, kept }
}
