// Files that a command reads, and files that it writes. A written file appears completely or not at all; missing folders are
// created.

import Association
import AssociationLint
import AssociationSnippets
import Posix
import Supervision

enum InputFile {
    /// The bytes of a file, or of standard input for `-`; a message if it cannot be read.
    static func read(_ path: String, bytesMax: Int = AppFile.bytesMax) throws(Refusal) -> [UInt8] {
        if path == "-" { return try standardInput.get() }
        do throws(FileError) { return try File.read(path, bytesMax: bytesMax).bytes } catch {
            throw .failure("cannot read \(path): \(error)")
        }
    }

    /// Everything on standard input, which several parts of a command may ask for.
    private static let standardInput = Result { () throws(Refusal) in
        var bytes: [UInt8] = []
        do throws(SystemError) {
            while bytes.count <= AppFile.bytesMax {
                let more = try StandardDescriptors.readInput()
                if more.isEmpty { return bytes }
                bytes += more
            }
        } catch {
            throw .failure("cannot read standard input: \(error.reason)")
        }
        throw .failure("standard input has more than \(AppFile.bytesMax) bytes")
    }
}

/// Files that a command writes.
enum OutputFile {
    /// Prints the files, or writes them into a folder. Unless `force`, an existing file with other content is kept, and the
    /// command fails.
    /// - Returns: the outcomes of writing; none if they were printed.
    static func write(
        _ files: [GeneratedFile], to folder: String?, force: Bool
    ) throws(Refusal) -> [GeneratedFile.Outcome] {
        guard let folder else {
            let text = files.map { "==> \($0.name) <==\n\($0.text)" }.joined(separator: "\n")
            Console.output(data: Array(text.utf8))
            return []
        }
        return try files.map { file throws(Refusal) in
            try checkPlace(file.name, in: folder)
            return try write(
                file, to: folder.hasSuffix("/") ? folder + file.name : "\(folder)/\(file.name)", force: force)
        }
    }

    /// A link in the folder, which may be the work of others, must not lead elsewhere what is written, or what is merged with it.
    static func checkPlace(_ name: String, in folder: String) throws(Refusal) {
        guard let root = try? Folder(folder) else { return }
        var place = "."
        for part in name.split(separator: "/") {
            place += "/\(part)"
            guard root.leadsOut(place) else { continue }
            throw .failure(
                "cannot write \(folder)/\(name): \(folder)/\(place.dropFirst(2)) is a link out of \(folder); remove it")
        }
    }

    private static func write(
        _ file: GeneratedFile, to path: String, force: Bool
    ) throws(Refusal) -> GeneratedFile.Outcome {
        let bytes = Array(file.text.utf8)
        if try !create(path, bytes) {
            if (try? File.read(path, bytesMax: bytes.count))?.bytes == bytes { return .unchanged }
            if file.isFragment { return try merge(bytes, into: path) }
            guard force else {
                Console.complain("\(path) already exists; not overwritten (--force overwrites it)")
                return .kept
            }
            try replace(path, bytes)
        }
        Console.output(line: path)
        return .created
    }

    private static func merge(_ bytes: [UInt8], into path: String) throws(Refusal) -> GeneratedFile.Outcome {
        if let own = try? InputFile.read(path), let merged = PropertyListMerge.merged(bytes, into: own) {
            if merged == own { return .merged }
            try replace(path, merged)
            Console.error(line: "\(path) exists; what it lacked was added")
            Console.output(line: path)
            return .merged
        }
        let beside = "\(path).associated"
        let isNew = try create(beside, bytes)
        if !isNew, (try? File.read(beside, bytesMax: bytes.count))?.bytes == bytes { return .beside }
        Console.error(line: "\(path) exists, and is left as it is")
        if !isNew {
            try replace(beside, bytes)
            Console.error(line: "\(beside) was of an earlier run, and is replaced")
        }
        Console.output(line: beside)
        return .beside
    }

    /// Creates a file and the folders above it. False if the file exists.
    static func create(_ path: String, _ bytes: [UInt8]) throws(Refusal) -> Bool {
        do throws(SystemError) {
            if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
                try Directory.create(String(path[..<slash]), permissions: 0o755)
            }
            return try unsafe bytes.span.withUnsafeBytes { bytes throws(SystemError) in
                try unsafe File.create(path, bytes, permissions: 0o644)
            }
        } catch {
            throw .failure("cannot write \(path): \(error.reason)")
        }
    }

    /// Replaces a file in one step: a reader never sees half of it.
    static func replace(_ path: String, _ bytes: [UInt8]) throws(Refusal) {
        do throws(SystemError) {
            try unsafe bytes.span.withUnsafeBytes { bytes throws(SystemError) in
                try unsafe File.replace(path, bytes, permissions: 0o644)
            }
        } catch {
            throw .failure("cannot write \(path): \(error.reason)")
        }
    }
}
