// Files of live hosts for other commands: taken as a verifier would take them, or not at all.

import Foundation
import Posix
import TLS
import Testing
import Verifier

struct PublishedFilesTests {
    /// The file of `shop.example` by way of a server whose certificate is for a name.
    private func fetch(
        certificate: String, trusts: Bool = true, answer: String
    ) throws -> Result<[UInt8], FetchError> {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try DevelopmentAuthority(directory: folder)
        let place = "\(folder)/hosts/_default"
        try authority.write(
            for: certificate, certificateFile: "\(place)/fullchain.pem", keyFile: "\(place)/privkey.pem")
        let server = try ScriptedServer(certificates: CertificateStore(hostsPath: "\(folder)/hosts")) { _ in
            .text(answer)
        }
        let context = try ClientContext(authorityFile: trusts ? authority.certificatePath : nil)
        let files = PublishedFiles(context, overrides: [AddressOverride("shop.example:443:\(server.address)")!])
        return files.fetch("/.well-known/assetlinks.json", of: CheckedHost("shop.example")!)
    }

    private let good = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]"

    @Test func `gives the file of a host that is trusted`() throws {
        #expect(try fetch(certificate: "shop.example", answer: good).get() == Array("[]".utf8))
    }

    @Test(arguments: [("other.example", true, "not for shop.example"), ("shop.example", false, "not trusted")])
    func `takes none of a host that no verifier would trust`(name: String, trusts: Bool, reason: String) throws {
        guard case .failure(let error) = try fetch(certificate: name, trusts: trusts, answer: good) else {
            Issue.record("the file was taken")
            return
        }
        #expect(error.description.contains(reason), "\(error)")
    }

    @Test func `takes no other answer than 200`() throws {
        guard
            case .failure(let error) = try fetch(
                certificate: "shop.example", answer: "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
        else {
            Issue.record("the answer was taken")
            return
        }
        #expect(error.description == "it answers 404")
    }
}
