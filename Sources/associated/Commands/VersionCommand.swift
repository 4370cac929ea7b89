// `associated version`

import Posix
import TLS

extension Command {
    static let version = Command(
        name: "version", summary: "print the version",
        details: "Prints the version of associated and of the TLS library that it runs with.", options: []
    ) { _ in
        let commit = Product.commit == "unknown" ? "" : ", commit \(Product.commit)"
        Console.output("associated \(Product.version) (\(Library.version)\(commit))\n")
        return .success
    }
}

/// What the program is called and how old it is.
enum Product {
    static let version = "0.1.0"
    /// Of the sources. The Dockerfile writes it here before it builds; another build does not know.
    static let commit = "unknown"

    /// Tells this program from every other that might render differently: two builds of one version have other files.
    static var identity: String {
        guard let status = try? File.status("/proc/self/exe") else { return version }
        return "\(version) \(status.byteCount) \(status.modifiedNanoseconds)"
    }
}
