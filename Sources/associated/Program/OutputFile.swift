// Files that a command reads, and files that it leaves behind: each of these appears as a whole or not at all, in folders that are
// made where there are none.

import Association
import Posix

enum InputFile {
    /// The bytes of a file that was named.
    static func read(_ path: String, bytesMax: Int = AppFile.bytesMax) throws(Refusal) -> [UInt8] {
        do throws(FileError) { return try File.read(path, bytesMax: bytesMax).bytes } catch {
            throw .failure("cannot read \(path): \(error)")
        }
    }
}

/// A file with a text, to be taken over by a person.
struct OutputFile {
    /// With the folders that it belongs into.
    let name: String
    let text: String

    /// Prints files one after the other, or writes them into a folder. Each file that is there with another text stays, and
    /// fails the command, unless `force`.
    static func write(_ files: [OutputFile], to folder: String?, force: Bool) -> ExitStatus {
        guard let folder else {
            let text = files.map { "==> \($0.name) <==\n\($0.text)" }.joined(separator: "\n")
            Console.output(data: Array(text.utf8))
            return .success
        }
        var status = ExitStatus.success
        for file in files {
            let path = "\(folder)/\(file.name)"
            let bytes = Array(file.text.utf8)
            do throws(SystemError) {
                if try !create(path, bytes) {
                    if (try? File.read(path, bytesMax: bytes.count))?.bytes == bytes { continue }
                    guard force else {
                        status = .failure(saying: "\(path) already exists; not overwritten (--force overwrites it)")
                        continue
                    }
                    try replace(path, bytes)
                }
            } catch {
                return .failure(saying: "cannot write \(path): \(error.reason)")
            }
            Console.output(line: path)
        }
        return status
    }

    /// Makes a file and the folders above it. False where there is one.
    static func create(_ path: String, _ bytes: [UInt8]) throws(SystemError) -> Bool {
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try Directory.create(String(path[..<slash]), permissions: 0o755)
        }
        return try unsafe with(bytes) { bytes throws(SystemError) in
            try unsafe File.create(path, bytes, permissions: 0o644)
        }
    }

    /// Puts a file in the place of what is there, in one step: a reader never sees half of it.
    static func replace(_ path: String, _ bytes: [UInt8], permissions: UInt32 = 0o644) throws(SystemError) {
        try unsafe with(bytes) { bytes throws(SystemError) in
            try unsafe File.replace(path, bytes, permissions: permissions)
        }
    }

    /// The bytes in memory, for a body whose errors have a type: the library's own function forgets it.
    private static func with<Value>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Value
    ) throws(SystemError) -> Value {
        let outcome: Result<Value, SystemError> = unsafe bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { return unsafe .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }
}
