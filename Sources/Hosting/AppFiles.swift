// Finds and reads the app files in `config/apps/`, however deep. Each is on its own: what is wrong with one is a finding on
// that one and leaves the others as they are.

import Association
import Posix
import SourceJSON

enum AppFiles {
    /// More bytes are not an app file, whatever they are.
    static let bytesMax = 4 * 1024 * 1024
    /// Deeper folders are a loop of links, or nobody's intention.
    static let depthMax = 16

    /// Reads all of them, in the order of their paths. `root` is part of every path in a finding.
    static func load(below root: String, environment: String?) throws(SystemError) -> (
        loaded: [LoadedAppFile], findings: [Finding]
    ) {
        var loaded: [LoadedAppFile] = []
        var findings: [Finding] = []
        for path in try paths(below: root, depth: 0, &findings) {
            do {
                let contents = try File.read(path, bytesMax: bytesMax)
                let reading = AppFile.read(contents.bytes, file: path, environment: environment)
                findings += reading.findings
                if let appFile = reading.appFile {
                    loaded.append(LoadedAppFile(appFile, modified: contents.modified))
                }
            } catch {
                findings.append(unreadable(path, error.description, isRefused: error.isRefused))
            }
        }
        return (loaded, findings)
    }

    /// The paths of all files that are meant as app files; hidden ones and editors' copies are not.
    private static func paths(below directory: String, depth: Int, _ findings: inout [Finding]) throws(SystemError)
        -> [String]
    {
        var found: [String] = []
        for entry in try Directory.entries(directory) where !entry.name.hasPrefix(".") {
            let path = "\(directory)/\(entry.name)"
            switch entry.kind {
            case .directory where depth == depthMax:
                findings.append(unreadable(path, "it is more than \(depthMax) folders deep"))
            case .directory:
                do {
                    found += try paths(below: path, depth: depth + 1, &findings)
                } catch {
                    findings.append(unreadable(path, error.reason, isRefused: error.cause == .permission))
                }
            case .file where isAppFile(entry.name): found.append(path)
            case .file: break
            case .other where isAppFile(entry.name):
                findings.append(unreadable(path, "it is neither a file nor a folder"))
            case .other: break
            }
        }
        return found
    }

    private static func isAppFile(_ name: String) -> Bool { name.hasSuffix(".json") || name.hasSuffix(".json5") }

    private static func unreadable(_ path: String, _ reason: String, isRefused: Bool = false) -> Finding {
        Finding(
            rule: "APP-001", severity: .error, file: path, range: nil, message: "cannot read the app file: \(reason)",
            fix: isRefused ? "let the server's user read it" : nil)
    }
}
