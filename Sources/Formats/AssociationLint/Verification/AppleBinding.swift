// Whether an apple-app-site-association file verifies an iOS app: whether it lists the app's id for a service. Ids are
// compared exactly.

import Association
import SourceJSON

/// An app and a service to verify.
public struct AppleBinding: Hashable, Sendable {
    public let appID: String
    public let service: Service

    /// A service, by its key in the file.
    public enum Service: String, Hashable, Sendable, CaseIterable {
        case applinks, webcredentials, appclips, activitycontinuation
    }

    public init(appID: String, service: Service) {
        (self.appID, self.service) = (appID, service)
    }

    /// The result of Apple's systems. For a signed file, pass the signed content.
    public func verdict(on bytes: [UInt8], file: String) -> BindingVerdict {
        let reading = AppleAssociation.read(bytes, file: file)
        if reading.isSigned {
            return BindingVerdict(.notVerified, "the file is signed, and this check does not read signed files")
        }
        guard let association = reading.association else { return .rejected(reading.findings) }
        return verdict(on: association).with(doubt: reading.findings.doubt)
    }

    private func verdict(on association: AppleAssociation) -> BindingVerdict {
        guard let apps = apps(of: association) else {
            return BindingVerdict(.notVerified, "the file has no service \(service.rawValue)")
        }
        if let place = apps.first(where: { $0.text.isIdentical(to: appID) }) {
            return BindingVerdict(.verified, "line \(place.range.start.line) lists it for \(service.rawValue)")
        }
        if let near = apps.first(where: { $0.text.lowercased() == appID.lowercased() }) {
            let line = near.range.start.line
            return BindingVerdict(.notVerified, "line \(line) lists \(near.text), but case must match")
        }
        return BindingVerdict(.notVerified, reason(apps.map(\.text)))
    }

    /// The apps that are listed instead, and what is wrong with the id.
    private func reason(_ listed: [String]) -> String {
        if listed.isEmpty { return "\(service.rawValue) lists no app" }
        let named = listed.prefix(Self.namedMax).joined(separator: ", ")
        let rest = listed.count > Self.namedMax ? " and \(listed.count - Self.namedMax) more" : ""
        let problem = AppID.problems(in: appID).first { $0.severity == .error }.map { "; \($0.message)" } ?? ""
        return "\(service.rawValue) lists \(named + rest), but not \(appID)\(problem)"
    }

    private static let namedMax = 5

    private func apps(of association: AppleAssociation) -> [LocatedText]? {
        switch service {
        case .applinks: association.applinks?.details.flatMap(\.appIDs)
        case .webcredentials: association.webcredentials?.apps
        case .appclips: association.appclips?.apps
        case .activitycontinuation: association.activitycontinuation?.apps
        }
    }
}

/// The result of one verifier.
public struct BindingVerdict: Hashable, Sendable {
    public let kind: Kind
    public let reason: String

    /// The three results. The raw values are part of the command's JSON output.
    public enum Kind: String, Hashable, Sendable {
        case verified
        case notVerified = "not-verified"
        /// The verifier ignores the whole file.
        case fileRejected = "file-rejected"
    }

    public init(_ kind: Kind, _ reason: String) {
        (self.kind, self.reason) = (kind, reason)
    }

    /// The same with what makes the file ambiguous.
    func with(doubt: String?) -> BindingVerdict {
        doubt.map { BindingVerdict(kind, "\(reason); not certain: \($0)") } ?? self
    }

    /// The result for a file that cannot be read, with the first reason.
    static func rejected(_ findings: [Finding]) -> BindingVerdict {
        guard
            let finding = findings.first(where: \.isFatal) ?? findings.first(where: { $0.severity == .error })
                ?? findings.first
        else {
            return BindingVerdict(.fileRejected, "the file cannot be read")
        }
        let place = finding.range.map { "line \($0.start.line): " } ?? ""
        return BindingVerdict(.fileRejected, place + finding.message)
    }
}
