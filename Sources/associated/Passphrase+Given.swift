// Where a person may put the passphrase of private keys. Never on the command line, which every user of the machine can read.

import Glibc
import TLS

extension Command.Option {
    static let passphraseFile = Command.Option(
        name: "--passphrase-file", value: "FILE", help: "a file whose first line is the passphrase of the private keys",
        variable: "ASSOCIATED_PASSPHRASE_FILE")
}

extension Passphrase {
    /// From the file that is named, else from ASSOCIATED_PASSPHRASE, else from the file that the settings name.
    static func given(_ arguments: ParsedArguments, settingsFile: String? = nil) -> Passphrase? {
        if let file = arguments["--passphrase-file"] { return Passphrase(file: file) }
        if let text = getenv("ASSOCIATED_PASSPHRASE"), text.pointee != 0 {
            return Passphrase(Array(String(cString: text).utf8))
        }
        return settingsFile.map { Passphrase(file: $0) }
    }
}
