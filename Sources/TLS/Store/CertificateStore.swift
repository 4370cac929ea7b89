// Finds the certificate for the name a client asks for. Files are read when a name is first asked for, and never listed, so
// that a hundred thousand hosts start as fast as ten. What was decoded is kept, within limits.
//
// The order of look-up for `a.shop.example.com`:
//   1. hosts/a.shop.example.com
//   2. hosts/_wildcard.shop.example.com, then hosts/_wildcard.example.com, then hosts/_wildcard.com
//   3. where a development authority is given: a certificate of its making
//   4. hosts/_default
// The first folder with a `fullchain.pem` answers, even if its files turn out to be broken: another host's certificate in
// its place would hide the fault.

import Posix
import Synchronization

/// All hosts' certificates. Shared by the workers; a warm look-up takes a lock for about 100 ns and allocates nothing.
public final class CertificateStore: Sendable {
    /// What there is for a name.
    public enum Lookup: Sendable {
        case identity(ServerIdentity)
        /// No certificate for the name: the alert is `unrecognized_name`.
        case none
        /// There are files, but they cannot be used, and there is no earlier state of them.
        case broken(String)
    }

    /// What is known of one folder, and since when.
    struct Entry {
        var content: Content
        /// By the monotonic clock.
        var checkedMilliseconds: Int64

        enum Content {
            case identity(ServerIdentity)
            case broken(String)
        }

        /// The state of the files that the content was made from.
        var stamp: Int
        /// A state of the files seen since that did not lead to a better content; believed when it is still so at the
        /// next look, because files are replaced one after the other.
        var pendingStamp: Int?
        /// Whether `pendingStamp` has been reported.
        var isPendingReported = false
        /// The last problem of time that was reported, so that it is said once.
        var reportedExpiry: CertificateProblem.Kind?
    }

    struct Tables {
        var entries: HostCache<Entry>
        /// Names without a certificate, with the time they were looked for.
        var absent: HostCache<Int64>
    }

    let hostsPath: String
    let limits: CertificateLimits
    let passphrase: Passphrase?
    let development: DevelopmentAuthority?
    let wantsDevelopment: @Sendable (String) -> Bool
    let serves: @Sendable (String) -> Bool
    /// Certificates of which it was said that they are shown to others, by file and names.
    let uncovered = Mutex<Set<[String]>>([])
    static let uncoveredMax = 4_096
    /// Folders of served hosts whose files are gone.
    let lost = Mutex<[CertificateReading: CertificateProblem]>([:])
    let pool = ChainPool()
    let problems: ProblemQueue
    let tables: Mutex<Tables>

    /// - Parameters:
    ///   - hostsPath: `config/hosts`; it need not exist yet.
    ///   - development: makes certificates for hosts that have none.
    ///   - wantsDevelopment: whether it shall do so for a host: the configured ones.
    ///   - serves: whether a host is configured, so that a certificate for others in its place is worth a word.
    public init(
        hostsPath: String, limits: CertificateLimits = CertificateLimits(), passphrase: Passphrase? = nil,
        development: DevelopmentAuthority? = nil,
        wantsDevelopment: @escaping @Sendable (String) -> Bool = { _ in true },
        serves: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.serves = serves
        self.hostsPath = hostsPath
        self.limits = limits
        self.passphrase = passphrase
        self.development = development
        self.wantsDevelopment = wantsDevelopment
        problems = ProblemQueue(countMax: limits.problemsMax)
        tables = Mutex(
            Tables(
                entries: HostCache(capacity: limits.identitiesMax), absent: HostCache(capacity: limits.absentNamesMax)))
    }

    /// The identity for a name in lower case without a trailing dot. Any bytes are welcome; what is no host name finds the
    /// one for everybody else.
    public func identity(for host: Span<UInt8>) -> Lookup {
        var due: CertificateReading?
        // Where it may read, nothing is left unread.
        return (try? find(host, .disk, &due)) ?? .none
    }

    public func identity(for host: String) -> Lookup {
        var host = host
        return host.withUTF8 { identity(for: Span(_unsafeElements: $0)) }
    }

    /// The problems found since the last call, for the log. Each is reported once for each state of the files.
    public func drainProblems() -> [CertificateProblem] { problems.drain() }

    /// The identities that are decoded at the moment.
    public var identityCount: Int { tables.withLock { $0.entries.count } }

    /// The names that are remembered to have no certificate.
    var absentNameCount: Int { tables.withLock { $0.absent.count } }

    /// The name of those who name no host.
    var nobody: [UInt8] { [] }
}

extension CertificateStore.Entry.Content {
    var lookup: CertificateStore.Lookup {
        switch self {
        case .identity(let identity): .identity(identity)
        case .broken(let message): .broken(message)
        }
    }
}
