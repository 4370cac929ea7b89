// What the sandbox leaves to a manager: it reads the configuration and the system's files for looking up names and checking
// certificates, writes the state directory, and connects to a few TCP ports. It listens on nothing that was not open before, starts
// no program, and maps no code once its libraries are loaded. `Sandbox` has the steps, which are those of a server.

import Hosting
import Posix

enum ManagerSandbox {
    /// HTTPS of certificate authorities and proofs, HTTP of the preflight, and DNS.
    private static let usualPorts: [UInt16] = [53, 80, 443]

    /// Of the resolver and of TLS, with the libraries that are opened at run time. The whole of `/etc`, because its files are
    /// replaced by others of the same name, to which a rule for the file would not apply.
    private static let systemFolders = ["/etc", "/usr", "/lib", "/lib32", "/lib64"]

    /// `resolv.conf` is often a link to a folder of a resolver service.
    private static let systemFiles = ["/etc/resolv.conf"]

    static func places(_ loaded: LoadedSettings) -> SandboxPlaces {
        let files = systemFiles + ManagerProcess.readableFiles(loaded.settings)
        var uses = systemFolders.map(SandboxPlaces.Use.readable) + files.map(SandboxPlaces.Use.file)
        uses.append(.folder(loaded.configPath))
        return SandboxPlaces(loaded, uses: uses)
    }

    /// The TCP ports that it may connect to, in order. Port 0 is in the settings of a server whose port the kernel chooses.
    static func ports(_ settings: ServerSettings) -> [UInt16] {
        let own = [settings.admin?.address.port].compactMap(\.self) + ManagerProcess.outgoingPorts(settings)
        return Set(usualPorts + own).filter { $0 > 0 }.sorted()
    }
}
