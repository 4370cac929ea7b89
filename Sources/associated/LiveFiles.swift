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
    static let applePath = "/.well-known/apple-app-site-association"
    static let statementsPath = "/.well-known/assetlinks.json"

    /// What fetches, by the options of a command.
    static func fetcher(_ arguments: ParsedArguments) -> Result<PublishedFiles, UsageError> {
        let overrides: [AddressOverride]
        do throws(UsageError) { overrides = try self.overrides(arguments) } catch { return .failure(error) }
        do throws(TLSError) {
            return .success(PublishedFiles(try ClientContext(authorityFile: arguments["--ca"]), overrides: overrides))
        } catch {
            return .failure(UsageError(description: error.description))
        }
    }

    /// Where hosts are, by the options of a command.
    static func overrides(_ arguments: ParsedArguments) throws(UsageError) -> [AddressOverride] {
        var overrides: [AddressOverride] = []
        for text in arguments.all("--resolve") ?? [] {
            guard let override = AddressOverride(text) else {
                let example = "shop.example.com:443:192.0.2.1"
                throw UsageError(description: "--resolve \(text) is not HOST:PORT:ADDR, such as \(example)")
            }
            overrides.append(override)
        }
        return overrides
    }
}
