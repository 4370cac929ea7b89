// Where a person may put the passphrase of private keys. Never on the command line, which every user of the machine can read.

import TLS

extension Command.Option {
    static let passphraseFile = Command.Option(
        name: "--passphrase-file", value: "FILE", help: "a file whose first line is the passphrase of the private keys",
        variable: "ASSOCIATED_PASSPHRASE_FILE")
}

/// Where the passphrase of the private keys comes from.
enum PassphraseSource {
    case text([UInt8])
    case file(String)

    /// The file that is named, else ASSOCIATED_PASSPHRASE, else the file that the settings name.
    static func given(_ arguments: ParsedArguments, settingsFile: String? = nil) -> PassphraseSource? {
        if let file = arguments["--passphrase-file"] { return .file(file) }
        if let text = Environment.value(Environment.passphrase) { return .text(Array(text.utf8)) }
        return settingsFile.map { .file($0) }
    }

    /// What is read while the program runs.
    var file: String? { if case .file(let path) = self { path } else { nil } }

    var passphrase: Passphrase {
        switch self {
        case .text(let bytes): Passphrase(bytes)
        case .file(let path): Passphrase(file: path)
        }
    }
}
