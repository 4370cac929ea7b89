// Association files of live hosts, for the commands that take them in the place of files.

import Posix
import TLS
import Verifier

extension Command.Option {
    static let resolve = Command.Option(
        name: "--resolve", value: "HOST:PORT:ADDR",
        help: "where a live host is, instead of what DNS says; ADDR may have a port",
        isRepeatable: true)
    static let authority = Command.Option(
        name: "--ca", value: "FILE", help: "for live hosts: trust these certificates instead of this machine's")
}

enum LiveFiles {
    /// What fetches, by the options of a command.
    static func fetcher(_ arguments: ParsedArguments) throws(Refusal) -> PublishedFiles {
        PublishedFiles(try context(arguments), overrides: try overrides(arguments))
    }

    /// Whom it trusts.
    static func context(_ arguments: ParsedArguments) throws(Refusal) -> ClientContext {
        do throws(TLSError) {
            return try ClientContext(authorityFile: arguments["--ca"])
        } catch {
            throw .failure(error.description)
        }
    }

    /// Where hosts are, by the options of a command.
    static func overrides(_ arguments: ParsedArguments) throws(Refusal) -> [AddressOverride] {
        var overrides: [AddressOverride] = []
        for text in arguments.all("--resolve") ?? [] {
            guard let override = AddressOverride(text) else {
                let example = "shop.example.com:443:192.0.2.1"
                throw .usage("--resolve \(text) is not HOST:PORT:ADDR, such as \(example)")
            }
            overrides.append(override)
        }
        return overrides
    }
}
