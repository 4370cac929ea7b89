// Where the admin listener is, for the server and for the commands that ask it: both find it in the same way.

import Administration
import Hosting
import Posix

extension LoadedSettings {
    /// The option and the variable are an address, and leave the rest of what `server.json` says.
    mutating func readAdmin(_ arguments: ParsedArguments) throws(UsageError) {
        if let text = arguments["--admin"] {
            guard let address = SocketAddress(listening: text) else {
                throw UsageError(
                    description:
                        "\(arguments.spelling("--admin", text)) is not an address; write \(AdminPlace.defaultAddress), [::1]:9464 or "
                        + "unix:/path")
            }
            var place = settings.admin ?? AdminPlace()
            place.address = address
            settings.admin = place
        }
        if let file = arguments["--admin-token-file"] {
            guard settings.admin != nil else { return }
            settings.admin?.tokenFile = file
        }
    }
}

extension AdminSettings {
    /// A token that cannot be used.
    struct TokenError: Error, CustomStringConvertible {
        let description: String
    }

    /// The place with its token: from ASSOCIATED_ADMIN_TOKEN, else from the file.
    init(_ place: AdminPlace) throws(TokenError) {
        var token: AdminToken?
        if let text = Environment.value(Environment.adminToken) {
            do throws(AdminToken.Problem) {
                token = try AdminToken(text.utf8)
            } catch {
                throw TokenError(description: "the token in ASSOCIATED_ADMIN_TOKEN is of no use: \(error)")
            }
        } else if let file = place.tokenFile {
            do throws(AdminToken.Problem) {
                token = try AdminToken(file: file)
            } catch {
                throw TokenError(description: "the admin token in \(file) is of no use: \(error)")
            }
        }
        self.init(
            address: place.address, token: token, socketPermissions: place.socketPermissions, hosts: place.hosts)
    }
}
