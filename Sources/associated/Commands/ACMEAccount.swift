// `associated acme account new`: replaces the account key, for example after an authority has deactivated the account. The manager
// registers the new key at each authority by itself.

import ACME
import Database
import Manager
import Posix
import TLS

enum ACMEAccount {
    static func run(_ verb: String, _ loaded: LoadedSettings, _ inputs: ManagerInputs) throws(Refusal) -> ExitStatus {
        guard verb == "new" else { throw .usage("unknown action \"account \(verb)\"; write account new") }
        // The key will be in memory, and a core dump would copy it to disk.
        try? ProcessMemory.forbidDumps()
        try ACMEImport.becomeOwner(of: loaded)
        let keys = try inputs.keys(createsMissing: false)
        do {
            var store = try Store(inputs.location, keys: keys)
            let key = AccountKey(try SigningKey(.p256))
            _ = try AccountSecret.adopt(key, replaces: true, &store)
            Console.output(line: "the manager has a new account key, with the thumbprint \(key.thumbprint)")
        } catch {
            throw .failure("\(error)")
        }
        Console.output(
            line:
                "next: restart the manager, which registers the key at each authority; certificates stay valid, and orders under "
                + "way start again")
        return .success
    }
}
