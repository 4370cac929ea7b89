// The machine that this process runs on.

import Glibc

public enum HostMachine {
    /// Its name; in a container, the container's. The corresponding C function is `gethostname`.
    public static var name: String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let result = unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe gethostname(bytes.bindMemory(to: CChar.self).baseAddress!, bytes.count - 1)
        }
        guard result == 0 else { return "unknown" }
        return String(decoding: buffer.prefix { $0 != 0 }, as: UTF8.self)
    }
}
