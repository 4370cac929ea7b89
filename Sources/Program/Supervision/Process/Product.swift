// The version of the program.

import Posix

public enum Product {
    public static let version = "0.1.0"
    public static let userAgent = "associated/\(version)"
    /// The commit of the sources. The Dockerfile writes it here before the build; in other builds it is unknown.
    public static let commit = "unknown"

    /// Differs between two builds, which may render differently even if they have the same version.
    public static var identity: String {
        guard let status = try? File.status(ChildProcess.ownProgram) else { return version }
        return "\(version) \(status.byteCount) \(status.modifiedNanoseconds)"
    }
}
