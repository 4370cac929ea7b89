// Writes a fixed file in the place of the file that was read.

import AssociationLint
import Libc
import Posix

extension FixedFile {
    /// Replaces the file atomically; for a symbolic link, its target.
    func write() throws(SystemError) {
        let permissions = (try? File.status(file.path))?.permissions ?? 0o644
        var place = file.path
        if let resolved = unsafe realpath(file.path, nil) {
            place = unsafe String(cString: resolved)
            unsafe free(resolved)
        }
        try unsafe file.bytes.span.withUnsafeBytes { bytes throws(SystemError) in
            try unsafe File.replace(place, bytes, permissions: permissions)
        }
    }
}
