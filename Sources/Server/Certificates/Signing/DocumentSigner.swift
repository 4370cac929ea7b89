// Signs the documents of hosts when the catalogue is built. The certificate is the one that a handshake for the host would use,
// unless the settings name one for all hosts. Certificates are read only for hosts that have something to sign.
//
// While the signer exists, the same document and certificate give the same bytes, although each ECDSA signature is different: a
// reload that changes nothing must not change an entity tag. If files cannot be used any more, the last good certificate stays in
// use, as in handshakes, and the problem is reported each time.

public import Posix
import Synchronization
public import TLS

/// Creates signed messages for hosts, and caches them.
public final class DocumentSigner: Sendable {
    /// The result of signing.
    public enum Outcome: Sendable {
        /// The message in DER, and when the newest file of the certificate was written, in seconds since 1970.
        case signed([UInt8], modified: Int64)
        /// There is no message, for this reason. The plain document is no substitute, because clients that need a signed one
        /// reject it.
        case impossible(String)
        /// The process was out of descriptors or memory.
        case shortage(SystemError)
    }

    /// The files of one certificate.
    private struct Source {
        let files: CertificateFiles
        /// Their state when they were last read.
        var seen: Int?
        /// A later state, which counts if it is the same at the next check.
        var pending: Int?
        /// The certificate in use, perhaps from an earlier state.
        var good: Good?
        /// Why a state could not be used, so that it is not read again.
        var failure: (stamp: Int, problem: CertificateProblem)?
        var round = 0
    }

    private struct Good {
        let stamp: Int
        let identity: ServerIdentity
        let modified: Int64
    }

    private struct Message {
        var digest: [UInt8]
        var identity: ServerIdentity
        var bytes: [UInt8]
        var round: Int
    }

    private struct Memory {
        var sources: [String: Source] = [:]
        /// By host.
        var messages: [String: Message] = [:]
        /// The problems that were reported in this round, because hosts may share a certificate.
        var reported: Set<CertificateProblem> = []
        /// Set if the last certificate could not be read because of a shortage.
        var shortage: SystemError?
        var round = 0
    }

    private let tree: CertificateTree
    private let named: NamedPair?
    private let development: DevelopmentAuthority?
    private let pool = ChainPool()
    private let memory = Mutex(Memory())

    /// - Parameters:
    ///   - hostsPath: `config/hosts`.
    ///   - managedPath: the folder with the manager's certificates.
    ///   - links: where links in a host's folder may lead, in addition to that folder and certbot's.
    ///   - named: signs for all hosts instead of their own certificates.
    ///   - development: issues certificates for hosts that have none.
    public init(
        hostsPath: String, managedPath: String? = nil, links: LinkTargets = .none, named: NamedPair? = nil,
        development: DevelopmentAuthority? = nil
    ) {
        tree = CertificateTree(hostsPath, links: links, managedPath: managedPath)
        (self.named, self.development) = (named, development)
    }

    /// Signs a document of a configured host (`*.example.com` for a wildcard). Adds the problems of its certificate that were not
    /// reported in this round yet.
    public func sign(_ content: [UInt8], for host: String, problems: inout [CertificateProblem]) -> Outcome {
        memory.withLock { memory in
            var found: [CertificateProblem] = []
            let outcome = sign(content, host, &memory, &found)
            problems += found.filter { memory.reported.insert($0).inserted }
            return outcome
        }
    }

    private func sign(
        _ content: [UInt8], _ host: String, _ memory: inout Memory, _ problems: inout [CertificateProblem]
    ) -> Outcome {
        memory.shortage = nil
        do throws(TLSError) {
            let found = try certificate(for: host, &memory, &problems)
            let digest = Digest.sha256(content)
            let known = memory.messages[host]
            let bytes: [UInt8]
            if let known, known.identity === found.identity, known.digest == digest {
                bytes = known.bytes
            } else {
                bytes = try MessageSigner.sign(content, with: found.identity)
            }
            memory.messages[host] = Message(digest: digest, identity: found.identity, bytes: bytes, round: memory.round)
            return .signed(bytes, modified: found.modified)
        } catch {
            if let shortage = memory.shortage { return .shortage(shortage) }
            return .impossible(error.description)
        }
    }

    /// Ends a round of signing. If it was complete, everything about other hosts is dropped.
    public func endRound(isComplete: Bool = true) {
        memory.withLock { memory in
            memory.reported = []
            guard isComplete else { return }
            let round = memory.round
            memory.sources = memory.sources.filter { $0.value.round == round }
            memory.messages = memory.messages.filter { $0.value.round == round }
            memory.round += 1
        }
    }

    /// Whether files have changed, and are the same as at the last call, so that it is time to sign again.
    public func hasChanges() -> Bool {
        memory.withLock { memory in
            var hasChanges = false
            for (path, source) in memory.sources {
                let stamp = source.files.stamp()
                if stamp == source.seen { continue }
                // Files are replaced one after the other, so a change must be stable.
                hasChanges = hasChanges || source.pending == stamp ?? 0
                memory.sources[path]?.pending = stamp ?? 0
            }
            return hasChanges
        }
    }

    private func certificate(
        for host: String, _ memory: inout Memory, _ problems: inout [CertificateProblem]
    ) throws(TLSError) -> (identity: ServerIdentity, modified: Int64) {
        if let named {
            let files = CertificateFiles(certificateFile: named.certificateFile, keyFile: named.keyFile)
            if let found = try read(files, named.certificateFile, host: nil, &memory, &problems) { return found }
            throw TLSError("\(named.certificateFile) does not exist")
        }
        for candidate in CertificateOrder.candidates(for: host) {
            switch candidate {
            case .folder(let folder):
                let files = CertificateFiles(folder, in: tree)
                if let found = try read(files, folder.name, host: host, &memory, &problems) { return found }
            case .development:
                if let development { return (try development.identity(for: Array(host.utf8).span), 0) }
            }
        }
        throw TLSError("there is no certificate for this host below \(tree.path)")
    }

    /// The certificate in these files, or their last good one; nil if there are no files.
    /// - Parameter place: identifies the files, also when the manager's are replaced by others in `config/hosts`.
    private func read(
        _ files: CertificateFiles, _ place: String, host: String?, _ memory: inout Memory,
        _ problems: inout [CertificateProblem]
    ) throws(TLSError) -> (identity: ServerIdentity, modified: Int64)? {
        let now = Clock.wallSeconds()
        let stamp = files.stamp()
        var source = memory.sources[place] ?? Source(files: files)
        defer { memory.sources[place] = source }
        source.seen = stamp
        source.pending = nil
        source.round = memory.round
        // Missing files are remembered too, because new ones here may take precedence.
        guard let stamp else { return nil }
        if let failure = source.failure, failure.stamp == stamp {
            problems.append(failure.problem)
        } else if source.good?.stamp != stamp {
            source.failure = nil
            switch files.load(pool: pool) {
            case .absent: return nil
            case .failed(let problem):
                if let shortage = problem.shortage {
                    // Read again next time, although the files do not change.
                    source.seen = nil
                    if source.good == nil {
                        memory.shortage = shortage
                        throw TLSError("\(problem.file): \(problem.message)")
                    }
                } else {
                    problems.append(problem)
                    if problem.kind != .unreadableFile { source.failure = (stamp, problem) }
                }
            case .identity(let identity):
                let found = checks(identity, host, now)
                // Do not replace a certificate that clients accept by one that they reject.
                if let good = source.good, isRefused(found), !isRefused(checks(good.identity, host, now)) {
                    problems += found
                } else {
                    source.good = Good(stamp: stamp, identity: identity, modified: files.modified())
                }
            }
        }
        guard let good = source.good else {
            throw TLSError(problems.last.map { "\($0.file): \($0.message)" } ?? "its certificate cannot be read")
        }
        let found = checks(good.identity, host, now)
        problems += found
        if let refusal = found.first(where: \.kind.isRefusedByClients) {
            throw TLSError("\(refusal.file): \(refusal.message)")
        }
        return (good.identity, good.modified)
    }

    private func isRefused(_ problems: [CertificateProblem]) -> Bool {
        problems.contains(where: \.kind.isRefusedByClients)
    }

    /// The problems that matter for signing. A named certificate need not be for servers; one for mail can sign too.
    private func checks(_ identity: ServerIdentity, _ host: String?, _ now: Int64) -> [CertificateProblem] {
        CertificateChecks.problems(of: identity, host: host, now: now).filter {
            $0.kind != .notForServers || host != nil
        }
    }
}
