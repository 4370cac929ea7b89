// A folder of hosts with a certificate store, for the store's tests.

import Testing

@testable import TLS

struct StoreBench {
    let hosts: TemporaryFolder
    let authority: TestAuthority

    init() throws {
        hosts = try TemporaryFolder()
        authority = try TestAuthority.shared
    }

    /// Checks the files at each look-up, or almost never.
    static func limits(recheckMilliseconds: Int64) -> CertificateLimits {
        var limits = CertificateLimits()
        limits.recheckMilliseconds = recheckMilliseconds
        limits.surveyedMax = 0
        return limits
    }

    /// A store for the folder, with every host served by default.
    func store(
        recheckMilliseconds: Int64 = 5000, managedPath: String? = nil,
        serves: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> CertificateStore {
        CertificateStore(
            hostsPath: hosts.path, managedPath: managedPath,
            limits: StoreBench.limits(recheckMilliseconds: recheckMilliseconds), serves: serves)
    }

    /// The problems reported since the last call.
    func problems(_ store: CertificateStore) -> [CertificateProblem] { store.register.drain().found }

    func install(_ folder: String, names: [String], days: Int = 90) throws {
        try authority.install(try authority.issue(names, days: days), folder, in: hosts)
    }

    /// The first name of the certificate that answers, `none` or `broken`.
    func answer(_ store: CertificateStore, _ host: String) -> String {
        answer(store.identity(for: host))
    }

    func answer(_ lookup: CertificateStore.Lookup) -> String {
        switch lookup {
        case .identity(let identity): identity.facts.first?.names.first ?? "nameless"
        case .missing: "none"
        case .broken: "broken"
        }
    }
}
