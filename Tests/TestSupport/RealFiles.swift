// Association files as people have published them. They are not part of the repository; where a collection stands beside it, tests try
// each file.

import Foundation

package enum RealFiles {
    private static let folder = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../shared/corpus")
        .standardizedFileURL.path

    /// The paths of all files for Apple's systems, and of all statement lists.
    package static let apple = paths("aasa")
    package static let statements = paths("assetlinks")

    private static func paths(_ kind: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(kind)")) ?? []
        return names.sorted().map { "\(folder)/\(kind)/\($0)" }
    }
}
