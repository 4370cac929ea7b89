// The token of the admin listener, which is no option, because every user of the machine can read a command line.

import Administration
import Settings
import Supervision

extension AdminSettings {
    /// The settings with their token: from ASSOCIATED_ADMIN_TOKEN, or else from the file.
    init(_ place: AdminPlace) throws(Refusal) {
        var token: AdminToken?
        if let text = Environment.value(Environment.adminToken) {
            do throws(AdminToken.Problem) { token = try AdminToken(text.utf8) } catch {
                throw .failure("cannot use the token in ASSOCIATED_ADMIN_TOKEN: \(error)")
            }
        } else if let file = place.tokenFile {
            do throws(AdminToken.Problem) { token = try AdminToken(file: file) } catch {
                throw .failure("cannot use the admin token in \(file): \(error)")
            }
        }
        self.init(address: place.address, token: token, hosts: place.hosts)
    }
}
