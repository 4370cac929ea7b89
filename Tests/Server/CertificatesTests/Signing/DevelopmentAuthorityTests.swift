// The development authority, and openssl's verdict on its certificates.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct DevelopmentAuthorityTests {
    private let folder: TemporaryFolder
    private var state: String { folder.path + "/state/tls" }

    init() throws { folder = try TemporaryFolder(permissions: 0o600) }

    private func names(_ lookup: CertificateLookup) -> [String] {
        guard case .identity(let identity) = lookup else { return [] }
        return identity.facts.names
    }

    private func write(_ host: String, _ authority: DevelopmentAuthority) throws {
        try authority.write(for: host, certificateFile: "\(folder.path)/leaf.pem", keyFile: "\(folder.path)/leaf.key")
    }

    @Test func `creates an authority once, with its own key`() throws {
        let authority = try DevelopmentAuthority(directory: state)
        #expect(authority.certificatePath == state + "/development-ca.pem")
        #expect(try File.status(state + "/development-ca.key").permissions == 0o600)
        #expect(try File.status(authority.certificatePath).permissions == 0o644)
        let certificate = try folder.bytes("state/tls/development-ca.pem")
        _ = try DevelopmentAuthority(directory: state)
        #expect(try folder.bytes("state/tls/development-ca.pem") == certificate)
        #expect(try FileManager.default.contentsOfDirectory(atPath: state).count == 3)
    }

    @Test(arguments: ["shop.example.com", "shop.localhost", "localhost"])
    func `openssl verifies issued certificates`(host: String) throws {
        let authority = try DevelopmentAuthority(directory: state)
        try write(host, authority)
        let verified = try OpenSSLCommand.run(
            "verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", host, "-CAfile",
            authority.certificatePath, "leaf.pem", in: folder)
        #expect(verified.text == "leaf.pem: OK\n")
        let other = try OpenSSLCommand.attempt(
            ["verify", "-verify_hostname", "other.example", "-CAfile", authority.certificatePath, "leaf.pem"],
            in: folder)
        #expect(other.status != 0)
        #expect(try File.status(folder.path + "/leaf.key").permissions == 0o600)
        let left = try folder.identity("leaf.pem", "leaf.key").notAfter - Int64(Date().timeIntervalSince1970)
        #expect((59 * 86_400...60 * 86_400).contains(left))
    }

    @Test func `names its purpose in the subject`() throws {
        let authority = try DevelopmentAuthority(directory: state)
        let text = try OpenSSLCommand.run(
            "x509", "-noout", "-subject", "-ext", "basicConstraints,keyUsage", "-in", authority.certificatePath,
            in: folder
        ).text
        #expect(text.contains("associated development CA"))
        #expect(text.contains("do not trust elsewhere"))
        #expect(text.contains("CA:TRUE, pathlen:0"))
    }

    @Test func `does not overwrite files`() throws {
        let authority = try DevelopmentAuthority(directory: state)
        try folder.write("leaf.key", "mine")
        #expect(throws: TLSError.self) { try write("a.example", authority) }
        #expect(try folder.read("leaf.key") == "mine")
    }

    @Test(arguments: ["", "*.example.com,DNS:bank.example", "a,IP:1.2.3.4", "Shop.example.com", "../a"])
    func `issues nothing for invalid host names`(host: String) throws {
        let authority = try DevelopmentAuthority(directory: state)
        #expect(throws: TLSError.self) { try write(host, authority) }
    }

    @Test func `issues certificates for hosts that have none`() throws {
        let hosts = try StoreBench()
        try hosts.install("own.example", names: ["own.example"])
        let store = CertificateStore(
            hostsPath: hosts.hosts.path, development: try DevelopmentAuthority(directory: state),
            serves: { $0 != "unknown.example" })
        #expect(names(store.identity(for: "own.example")) == ["own.example"])
        #expect(names(store.identity(for: "shop.example")) == ["shop.example"])
        #expect(names(store.identity(for: "unknown.example")) == [])
        #expect(names(store.identity(for: "not a host")) == [])
        #expect(names(store.identity(for: "")) == ["localhost", "127.0.0.1", "0:0:0:0:0:0:0:1"])
        let first = try hosts.identity("shop.example", in: store)
        #expect(try hosts.identity("shop.example", in: store) === first)
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620] as [mode_t])
    func `refuses a key that other users can read or write`(mode: mode_t) throws {
        _ = try DevelopmentAuthority(directory: state)
        chmod(state + "/development-ca.key", mode)
        let error = #expect(throws: TLSError.self) { try DevelopmentAuthority(directory: state) }
        #expect(error?.description.hasSuffix("chmod 600 \(state)/development-ca.key") == true)
    }

    @Test func `says what to do when key and certificate do not match`() throws {
        _ = try DevelopmentAuthority(directory: state)
        try folder.remove("state/tls/development-ca.key")
        let error = #expect(throws: TLSError.self) { try DevelopmentAuthority(directory: state) }
        #expect(error?.description.contains("does not belong to a certificate") == true)
        #expect(error?.description.hasSuffix("to create a new one") == true)
    }

    @Test func `one of several simultaneous creations wins`() throws {
        let results = Shared<[[UInt8]]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            let authority = try? DevelopmentAuthority(directory: state)
            let bytes = authority.flatMap { try? File.read($0.certificatePath, bytesMax: 10_000).bytes } ?? []
            results.change { $0.append(bytes) }
        }
        #expect(results.value.count == 8)
        #expect(Set(results.value).count == 1)
        #expect(results.value.first?.isEmpty == false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: state).count == 3)
    }
}
