// Whether an iOS app is bound to an apple-app-site-association file: whether the file lists its id for a service. Ids are
// compared as they are written.

import Association
import SourceJSON

/// The question about one app and one service.
public struct AppleBinding: Hashable, Sendable {
    public let appID: String
    public let service: Service

    /// The services of a file, by their keys in it.
    public enum Service: String, Hashable, Sendable, CaseIterable {
        case applinks, webcredentials, appclips, activitycontinuation
    }

    public init(appID: String, service: Service) {
        self.appID = appID
        self.service = service
    }

    /// What Apple's systems say. A signed file is to be given as what is in it.
    public func verdict(on bytes: [UInt8], file: String) -> BindingVerdict {
        let reading = AppleAssociation.read(bytes, file: file)
        if reading.isSigned {
            return BindingVerdict(.notVerified, "the file is signed, and what it says is not read here")
        }
        guard let association = reading.association else { return .rejected(reading.findings) }
        guard let apps = apps(of: association) else {
            return BindingVerdict(.notVerified, "the file has no service \(service.rawValue)")
        }
        if let place = apps.first(where: { $0.text.isIdentical(to: appID) }) {
            return BindingVerdict(.verified, "line \(place.range.start.line) lists it for \(service.rawValue)")
        }
        if let near = apps.first(where: { $0.text.lowercased() == appID.lowercased() }) {
            let line = near.range.start.line
            return BindingVerdict(.notVerified, "line \(line) lists \(near.text), and case counts")
        }
        return BindingVerdict(.notVerified, reason(apps.map(\.text)))
    }

    /// Which apps are listed instead, and why the id can be none of them.
    private func reason(_ listed: [String]) -> String {
        if listed.isEmpty { return "\(service.rawValue) lists no app" }
        let named = listed.prefix(Self.namedMax).joined(separator: ", ")
        let rest = listed.count > Self.namedMax ? " and \(listed.count - Self.namedMax) more" : ""
        let problem = AppID.problems(in: appID).first { $0.severity == .error }.map { "; \($0.message)" } ?? ""
        return "\(service.rawValue) lists \(named + rest), and not \(appID)\(problem)"
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

/// What one reader says.
public struct BindingVerdict: Hashable, Sendable {
    public let kind: Kind
    public let reason: String

    /// The three answers there are, by the names that programs know them by.
    public enum Kind: String, Hashable, Sendable {
        case verified
        case notVerified = "not-verified"
        /// The reader takes nothing of the file, whatever it says of the app.
        case fileRejected = "file-rejected"
    }

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// A file that cannot be read, by what makes it unreadable.
    static func rejected(_ findings: [Finding]) -> BindingVerdict {
        guard
            let finding = findings.first(where: \.isFatal) ?? findings.first(where: { $0.severity == .error })
                ?? findings.first
        else {
            return BindingVerdict(.fileRejected, "it cannot be read")
        }
        let place = finding.range.map { "line \($0.start.line): " } ?? ""
        return BindingVerdict(.fileRejected, place + finding.message)
    }
}
