// Files for a person to take over: printed one after the other, or written where nothing is yet.

import Association
import Glibc
import Posix

extension Snippet {
    /// Prints files, or writes them into a folder.
    static func write(_ files: [File], to folder: String?) -> ExitStatus {
        guard let folder else {
            Console.output(files.map { "==> \($0.name) <==\n\($0.text)" }.joined(separator: "\n"))
            return .success
        }
        _ = mkdir(folder, 0o755)
        for file in files {
            let path = "\(folder)/\(file.name.split(separator: "/").last ?? "")"
            let outcome: Result<Bool, SystemError> = Array(file.text.utf8).withUnsafeBytes { bytes in
                do throws(SystemError) {
                    return .success(try Posix.File.create(path, bytes, permissions: 0o644))
                } catch {
                    return .failure(error)
                }
            }
            switch outcome {
            case .success(true): Console.output("\(path)\n")
            case .success(false): return .failure(saying: "\(path) is there already, and is not written over")
            case .failure(let error): return .failure(saying: "cannot write \(path): \(error.reason)")
            }
        }
        return .success
    }
}
