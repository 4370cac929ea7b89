// What a parent passes to a child, its server or its manager, as the text of an environment variable. The numbers are those of
// descriptors, which the child has under the same numbers.

import Libc
import Posix
import Synchronization

public struct Inheritance: Equatable, Sendable {
    public var role: Role
    public var parent: Int32
    /// The socket on which a server reports its state, and a manager why it ends. Nil for a manager whose parent is of an earlier
    /// version.
    public var reports: Int32?
    /// How often to report that the server is alive; nil for never.
    public var watchdogMilliseconds: Int64?
    /// How many upgrades there have been, this one included, so that monitoring can tell them from crashes.
    public var upgradeCount = 0
    /// Whether the parent does not have the lock of the state directory, so a server needs it before it writes.
    public var needsLock = false
    /// A `MemoryFile` with the text of `server.json` that is in force, or nothing if there was none. Nil if the parent is of an
    /// earlier version.
    var settings: Int32?
    public var groups: [Group] = []

    /// What a child is.
    public enum Role: String, Sendable {
        case server, manager

        /// Of the process, as `ps -e` shows it.
        public var processName: String {
            switch self {
            case .server: "associated"
            case .manager: "manager"
            }
        }

        /// All that it takes. To a manager only SIGTERM and SIGINT mean something.
        public var signals: [Int32] {
            switch self {
            case .server: ServerSignal.all
            case .manager: [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2]
            }
        }

        /// Whether a process is one of this program.
        public static func has(_ process: Int32) -> Bool {
            let name = try? File.read("/proc/\(process)/comm", bytesMax: 64).bytes
            return name.map { name in
                [server, manager].contains { Array("\($0.processName)\n".utf8) == name }
            } ?? false
        }
    }

    /// The sockets at one address.
    public struct Group: Equatable, Sendable {
        public var purpose: Purpose
        /// Whether each connection begins with the header of a trusted proxy (the PROXY protocol).
        public var expectsProxyHeader = false
        public var numbers: [Int32]
    }

    public enum Purpose: String, Sendable {
        case http, https, admin
        /// Of the manager, which opens it itself: only a parent of an earlier version passes it.
        case managerAdmin = "manager-admin"
        /// Where the manager asks the server.
        case link
        /// Where releases are published, which the manager opens itself too.
        case api

        /// Whether such a child may get these sockets.
        func isFor(_ role: Role) -> Bool { self == .managerAdmin || role == .server }

        /// For the operator or the manager: one socket, which another server never shares, and which answers until its process has exited.
        public var isAdmin: Bool { self != .http && self != .https }
    }

    static let variable = "ASSOCIATED_INHERITED"
    /// Of this format. A server of another version refuses to start, and the server that it was to replace goes on.
    private static let version = "2"
    private static let proxyMark = "+proxy"
    private static let settingsMark = "settings:"
    private static let upgradesMark = "upgrades:"
    private static let lockMark = "unlocked"

    private static let taken = Mutex<Inheritance?>(nil)

    /// What this process was started with; nil when it is no child of a parent.
    public static var own: Inheritance? { taken.withLock { $0 } }

    /// Takes it from the environment and removes it there. Called once, before any thread is started.
    public static func take() throws(Refusal) {
        guard let text = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !text.isEmpty else { return }
        unsafe unsetenv(variable)
        guard let inheritance = Inheritance(text) else {
            throw .failure(
                "cannot use \(variable), which `associated serve` sets for the processes that it starts; unset it, or restart "
                    + "`associated serve` if it is of another version")
        }
        try inheritance.endWithParent()
        taken.withLock { $0 = inheritance }
    }

    /// Keeps this process from outliving its parent. Called again after a change of user, which cancels it.
    public func endWithParent() throws(Refusal) {
        if !ChildProcess.endWithParent(parent) { throw .failure("the parent process has ended") }
    }

    var text: String {
        let words = [
            Inheritance.version, role.rawValue, "\(parent)", "\(reports ?? 0)", "\(watchdogMilliseconds ?? 0)",
        ]
        let file = settings.map { ["\(Inheritance.settingsMark)\($0)"] } ?? []
        let upgrades = upgradeCount > 0 ? ["\(Inheritance.upgradesMark)\(upgradeCount)"] : []
        let lock = needsLock ? [Inheritance.lockMark] : []
        return (words + file + upgrades + lock + groups.map(\.text)).joined(separator: " ")
    }

    /// The text of `server.json`, to be read once.
    public func settingsText() throws(Refusal) -> [UInt8]? {
        guard let settings else { return nil }
        do throws(FileError) { return try MemoryFile.contents(takingOwnershipOf: settings) } catch {
            throw .failure("cannot read the settings from the parent process: \(error)")
        }
    }
}

extension Inheritance {
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count >= 5, words[0] == Inheritance.version, let role = Role(rawValue: String(words[1])),
            let parent = Int32(words[2]), let reports = Int32(words[3]), let watchdog = Int64(words[4])
        else { return nil }
        var rest = words.dropFirst(5)
        if let word = rest.first, word.hasPrefix(Inheritance.settingsMark) {
            guard let number = Int32(word.dropFirst(Inheritance.settingsMark.count)), number > 2 else { return nil }
            settings = number
            rest.removeFirst()
        }
        if let word = rest.first, word.hasPrefix(Inheritance.upgradesMark) {
            guard let count = Int(word.dropFirst(Inheritance.upgradesMark.count)), count > 0 else { return nil }
            upgradeCount = count
            rest.removeFirst()
        }
        if rest.first.map({ $0 == Inheritance.lockMark }) == true {
            needsLock = true
            rest.removeFirst()
        }
        groups = rest.compactMap(Group.init)
        let isReporting = role == .server || reports > 0
        guard groups.count == rest.count, groups.allSatisfy({ $0.purpose.isFor(role) }), parent > 0,
            isReporting ? reports > 2 : reports == 0, watchdog >= 0
        else { return nil }
        (self.role, self.parent, self.reports) = (role, parent, isReporting ? reports : nil)
        watchdogMilliseconds = watchdog == 0 ? nil : watchdog
    }
}

extension Inheritance.Group {
    /// Such as `https+proxy:7,8`.
    fileprivate var text: String {
        let mark = expectsProxyHeader ? Inheritance.proxyMark : ""
        return "\(purpose.rawValue)\(mark):\(numbers.map(String.init).joined(separator: ","))"
    }

    fileprivate init?(_ word: Substring) {
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let hasMark = parts[0].hasSuffix(Inheritance.proxyMark)
        let numbers = parts[1].split(separator: ",", omittingEmptySubsequences: false).map { Int32($0) ?? -1 }
        guard
            let purpose = Inheritance.Purpose(
                rawValue: String(parts[0].dropLast(hasMark ? Inheritance.proxyMark.count : 0))),
            !numbers.isEmpty, numbers.allSatisfy({ $0 > 2 })
        else { return nil }
        self.init(purpose: purpose, expectsProxyHeader: hasMark, numbers: numbers)
    }
}

/// What a parent tells a running server, as a line of text.
public enum ParentNews: Equatable, Sendable {
    /// How the manager has ended, or why it could not be started, and when the next one is started; without a text, that this is over.
    case managerEnded(String, restartMilliseconds: Int64?)
    /// Why an upgrade was refused, and when (since 1970).
    case notUpgraded(String, atSeconds: Int64)
    /// How the server before ended, and when.
    case died(String, atSeconds: Int64)

    var text: String {
        switch self {
        case .managerEnded(let text, let milliseconds): "manager \(milliseconds ?? -1) \(text)"
        case .notUpgraded(let text, let seconds): "upgrade \(seconds) \(text)"
        case .died(let text, let seconds): "died \(seconds) \(text)"
        }
    }
}

extension ParentNews {
    /// Nil for what a parent of another version tells.
    public init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, let number = Int64(words[1]) else { return nil }
        switch words[0] {
        case "manager": self = .managerEnded(String(words[2]), restartMilliseconds: number < 0 ? nil : number)
        case "upgrade": self = .notUpgraded(String(words[2]), atSeconds: number)
        case "died": self = .died(String(words[2]), atSeconds: number)
        default: return nil
        }
    }
}
