// Signs a host's AASA document, for app files with `signed`. Clients that ask for a signed document refuse an unsigned one, so if
// signing fails, a finding is reported and nothing is served.

public import Association
import Catalogue
public import Certificates
import Posix
public import Settings
public import TLS

/// The source of one signed document.
struct SignedAnswer {
    let host: String
    let apps: [LoadedAppFile]
    let cacheSeconds: Int

    /// Signs the document; nil, with a finding on the app file, if that fails. Throws only if descriptors or memory run out.
    func make(
        _ document: [UInt8], by signer: DocumentSigner, _ findings: inout [Finding]
    ) throws(SystemError) -> PreparedAnswer? {
        var problems: [CertificateProblem] = []
        let outcome = signer.sign(document, for: host, problems: &problems)
        findings += problems.map(Finding.init)
        switch outcome {
        case .shortage(let reason): throw reason
        case .impossible(let reason):
            findings.append(
                finding(
                    .app041, "the AASA file of \(host) cannot be signed, so it is not served: \(reason)",
                    fix: "put an RSA or ECDSA certificate into the host's folder, or remove `signed`"))
            return nil
        case .signed(let message, _) where message.count > Renderer.appleBytesMax:
            findings.append(
                finding(
                    .app034,
                    "the signed AASA file of \(host) has \(message.count) bytes, "
                        + "which Apple rejects, so it is not served",
                    fix: "use wildcards and variables, move apps to hosts of their own, or remove `signed`"))
            return nil
        case .signed(let message, let modified):
            return AnswerMaker.answer(
                Document(
                    kind: .appleAssociation, contentType: "application/pkcs7-mime", content: .bytes(message),
                    cacheSeconds: cacheSeconds, modified: max(modified, apps.map(\.modified).max() ?? 0)))
        }
    }

    private func finding(_ rule: RuleID, _ message: String, fix: String) -> Finding {
        let app = apps.map(\.appFile).first { ($0.ios?.signing ?? .none) != .none } ?? apps.first?.appFile
        return Finding(
            rule: rule, severity: .error, file: app?.file ?? host, range: app?.ranges.signed, message: message, fix: fix
        )
    }
}

extension Finding {
    /// A problem of a certificate. It has no line, because certificates are not edited by hand.
    public init(_ problem: CertificateProblem) {
        guard let rule = RuleID(problem.id) else { preconditionFailure("no rule has the id \(problem.id)") }
        // As severe as its rule, unless the problem is less severe than others of its kind.
        let severity = problem.severity == problem.kind.severity ? nil : Severity(rawValue: problem.severity.rawValue)
        self.init(
            rule: rule, severity: severity, file: problem.file, range: nil, message: problem.message, fix: problem.fix)
    }
}

extension ServerSettings {
    /// What signs documents for hosts with `signed`.
    public func signer(
        configPath: String, managedPath: String?, development: DevelopmentAuthority? = nil
    ) -> DocumentSigner {
        DocumentSigner(
            hostsPath: "\(configPath)/hosts", managedPath: managedPath, links: linkTargets, named: signing,
            development: development)
    }
}
