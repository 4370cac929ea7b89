// Whether Google knows an app by a certificate: the Android Developer ID Status API tells whether a package is registered with a
// fingerprint. Most wrong fingerprints are those of an upload key, with which no phone has an app that Google Play delivered. The API
// needs a key, and answers 1,000 requests a day.

import Association
public import Client
import Posix
import SourceJSON
import Synchronization

/// A package and one of its certificates, as a statement list has them.
public struct AppCertificate: Hashable, Sendable {
    public let package: String
    /// In the served form.
    public let fingerprint: String

    /// A file with more has its first ones asked about.
    private static let countMax = 100

    /// The first ones of a statement list, each once, without those that no app can have.
    public static func all(in file: [UInt8]) -> [AppCertificate] {
        var (found, seen): ([AppCertificate], Set<AppCertificate>) = ([], [])
        for statement in StatementList.read(file, file: "").list?.statements ?? [] {
            guard case .androidApp(let package, let prints)? = statement.target,
                // The package becomes a part of a URL.
                package.text.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == 0x2E || $0 == 0x5F })
            else { continue }
            for print in prints.compactMap({ Fingerprint(normalising: $0.text) }) where found.count < countMax {
                let certificate = AppCertificate(package: package.text, fingerprint: print.text)
                if seen.insert(certificate).inserted { found.append(certificate) }
            }
        }
        return found
    }
}

/// What Google knows of a package and a certificate, in the words of the API.
public enum RegistrationState: String, Sendable {
    case registered = "REGISTERED"
    /// The package is not registered with any certificate.
    case notRegistered = "NOT_REGISTERED"
    case otherCertificate = "REGISTERED_WITH_ANOTHER_CERTIFICATE_FINGERPRINT"
}

/// The Android Developer ID Status API, with the operator's key for it.
public struct RegistrationAPI: Sendable {
    private let base: String
    /// A secret. It is in no message.
    private let key: String

    private static let keyBytesMax = 200

    /// Nil if the text cannot be a key.
    /// - Parameter base: the URL to which the path is appended.
    public init?(key: String, base: String) {
        guard (1...RegistrationAPI.keyBytesMax).contains(key.utf8.count),
            key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        (self.key, self.base) = (key, base)
    }

    public func location(of certificate: AppCertificate) -> WebLocation? {
        let fingerprint = certificate.fingerprint.lowercased().filter { $0 != ":" }
        return WebLocation(
            "\(base)v1/packages/\(certificate.package)/packageRegistrationStatus:check?certificateFingerprint=\(fingerprint)"
        )
    }

    public var fields: [FetchedResponse.Field] { [.init(name: "X-Goog-Api-Key", value: key)] }
}

/// An answer of the API.
public enum RegistrationAnswer: Hashable, Sendable {
    case state(RegistrationState)
    /// Why this says nothing about the app, and whether other questions would get the same answer.
    case unusable(String, isOfService: Bool)

    public init(_ response: FetchedResponse) {
        let body = response.isTruncated ? nil : response.plainBody
        let root = body.flatMap { SourceReader.read($0, as: .json).value }
        switch response.status {
        case 200:
            let state = root?.member(named: "state")?.asString.flatMap(RegistrationState.init(rawValue:))
            self = state.map { .state($0) } ?? .unusable("it answers something other than a state", isOfService: true)
        case 429: self = .unusable("it answers 429: the day's requests of the API key are used up", isOfService: true)
        case 401, 403: self = .refused(response.status)
        // A wrong key is an invalid argument, too.
        case 400 where body.map { String(decoding: $0, as: UTF8.self).contains("API_KEY_INVALID") } == true:
            self = .refused(400)
        case 400: self = .unusable("it answers 400: it does not know such a package or fingerprint", isOfService: false)
        default: self = .unusable("it answers \(response.status)", isOfService: true)
        }
    }

    private static func refused(_ status: Int) -> RegistrationAnswer {
        .unusable(
            "it answers \(status): check the API key, and that the Android Developer ID Status API is enabled in its project",
            isOfService: true)
    }
}

/// What an operator should know about an app of a host.
public struct RegistrationRemark: Hashable, Sendable {
    /// Whether the app is registered, but with none of its fingerprints.
    public let isMismatch: Bool
    public let message: String
    public let fix: String

    /// One fingerprint that is registered is enough: others are for builds that are installed without Google Play. Nothing is said about
    /// an app as long as an answer about it is missing.
    public static func all(
        about certificates: [AppCertificate], _ states: [AppCertificate: RegistrationState]
    ) -> [RegistrationRemark] {
        var (order, apps): ([String], [String: [AppCertificate]]) = ([], [:])
        for certificate in certificates {
            if apps[certificate.package] == nil { order.append(certificate.package) }
            apps[certificate.package, default: []].append(certificate)
        }
        return order.compactMap { package in
            let own = apps[package] ?? []
            let known = own.compactMap { states[$0] }
            guard known.count == own.count, !known.contains(.registered) else { return nil }
            let wrong = own.filter { states[$0] == .otherCertificate }
            guard let first = wrong.first else {
                return RegistrationRemark(
                    isMismatch: false,
                    message:
                        "\(package) is not registered with a verified developer, and where Android requires that, phones do not "
                        + "install it", fix: "register it in the Play Console, or in the Android Developer Console")
            }
            let prints =
                wrong.count == 1
                ? "the fingerprint \(first.fingerprint.prefix(11))… is" : "its \(wrong.count) fingerprints here are"
            return RegistrationRemark(
                isMismatch: true,
                message:
                    "\(package) is registered with another certificate: \(prints) probably that of the upload key, so builds from "
                    + "Google Play are not verified",
                fix:
                    "list the fingerprint of App integrity in the Play Console too; `associated fingerprint` shows that of an APK"
            )
        }
    }
}

/// The answers about the apps of one host.
struct RegistrationReport: Sendable {
    var remarks: [RegistrationRemark]
    /// Why some answers are missing.
    var problem: String?
}

/// Asks the API for checks of hosts: each pair once, one question after the other, and none after one that failed.
final class RegistrationQueries: Sendable {
    private struct State {
        var answers: [AppCertificate: RegistrationState] = [:]
        var requestCount = 0
        var problem: String?
    }

    private let api: RegistrationAPI
    private let fetch: @Sendable (WebLocation, [FetchedResponse.Field]) -> Result<FetchedResponse, FetchError>
    private let state = Mutex(State())
    /// Half of a day's.
    private static let requestsMax = 500

    init(
        _ api: RegistrationAPI,
        fetch: @escaping @Sendable (WebLocation, [FetchedResponse.Field]) -> Result<FetchedResponse, FetchError>
    ) { (self.api, self.fetch) = (api, fetch) }

    func report(on certificates: [AppCertificate]) -> RegistrationReport {
        state.withLock { state in
            var problem: String?
            for certificate in certificates where state.answers[certificate] == nil {
                problem = state.problem ?? ask(about: certificate, &state) ?? problem
                if state.problem != nil { break }
            }
            return RegistrationReport(
                remarks: RegistrationRemark.all(about: certificates, state.answers), problem: problem)
        }
    }

    /// - Returns: why there is no answer.
    private func ask(about certificate: AppCertificate, _ state: inout State) -> String? {
        guard state.requestCount < RegistrationQueries.requestsMax else {
            state.problem = "\(RegistrationQueries.requestsMax) questions were sent, half of those that a day has"
            return state.problem
        }
        guard let location = api.location(of: certificate) else { return "\(certificate.package) is in no URL" }
        state.requestCount += 1
        switch fetch(location, api.fields) {
        case .failure(let error): state.problem = "\(error)"
        case .success(let response):
            switch RegistrationAnswer(response) {
            case .state(let known): state.answers[certificate] = known
            case .unusable(let reason, let isOfService):
                guard isOfService else { return reason }
                state.problem = reason
            }
        }
        return state.problem
    }
}
