// A folder of hosts with a certificate store, for the store's tests.

import Posix
import Tenancy
import TestSupport
import Testing

@testable import Certificates
@testable import TLS
@testable import TLSSupport

struct StoreBench {
    let hosts: TemporaryFolder
    let authority: TestAuthority

    init() throws {
        hosts = try TemporaryFolder(permissions: 0o600)
        authority = try TestAuthority.shared
    }

    /// Checks the files at each look-up, or almost never.
    static func limits(recheckMilliseconds: Int64) -> CertificateLimits {
        var limits = CertificateLimits()
        limits.recheckMilliseconds = recheckMilliseconds
        limits.surveyedMax = 0
        return limits
    }

    /// With room for this many usual certificates in memory.
    static func limits(
        identitiesMax: Int, othersMax: Int = 64, recheckMilliseconds: Int64 = 5000
    ) -> CertificateLimits {
        var limits = limits(recheckMilliseconds: recheckMilliseconds)
        limits.othersMax = othersMax
        limits.bytesMax += identitiesMax * CertificateLimits.identityUnitBytes - limits.cachedBytesMax
        return limits
    }

    /// Whose a host of the tests about tenants is: `1.b.test` is one of `b`.
    static func tenant(_ host: String) -> TenantID {
        TenantID(folder: String(host.split(separator: ".").dropLast().last ?? ""))
    }

    /// A store for the folder, with every host served by default.
    func store(
        recheckMilliseconds: Int64 = 5000, managedPath: String? = nil, keptPath: String? = nil, lock: LateLock? = nil,
        serves: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> CertificateStore {
        CertificateStore(
            hostsPath: hosts.path, managedPath: managedPath, keptPath: keptPath, lock: lock,
            limits: StoreBench.limits(recheckMilliseconds: recheckMilliseconds), serves: serves)
    }

    /// The problems reported since the last call.
    func problems(_ store: CertificateStore) -> [CertificateProblem] { store.register.drain().found }

    func install(
        _ folder: String, names: [String], days: Int = 90, key: TestAuthority.Key = .ecdsa, suffix: String = ""
    ) throws { try install(try authority.issue(names, key: key, days: days), folder, suffix: suffix) }

    func install(_ pair: TestPair, _ folder: String, suffix: String = "") throws {
        try authority.install(pair, folder, in: hosts, suffix: suffix)
    }

    /// What a client gets for a host; throws if there is none.
    func identity(_ host: String, in store: CertificateStore? = nil) throws -> ServerIdentity {
        guard case .identity(let identity) = (store ?? self.store()).identity(for: host) else {
            throw OpenSSLCommand.Failure(description: "no identity for \(host)")
        }
        return identity
    }

    /// The first name of the certificate that answers, `none` or `broken`.
    func answer(_ store: CertificateStore, _ host: String) -> String { answer(store.identity(for: host)) }

    func answer(_ lookup: CertificateLookup) -> String {
        switch lookup {
        case .identity(let identity): identity.facts.names.first ?? "nameless"
        case .missing: "none"
        case .broken: "broken"
        }
    }
}

extension CertificateStore {
    /// What a handshake for a host gets in the end.
    func identity(for host: String) -> CertificateLookup {
        let key = CertificateStore.key(for: Array(host.utf8).span)
        if let (lookup, isDue) = resolve(key.span), !isDue { return lookup }
        return read(key)
    }
}
