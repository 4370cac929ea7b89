// What is known of one app file: its marks when it was last read, and its last good version. Everything served follows from the
// last good version; the file on disk replaces it only with another good one.

import Association
import Catalogue
import Posix

/// The record of one app file.
struct AppRecord: Sendable {
    /// The marks when the file was last read; nil if it must be read again.
    var mark: FileStatus?
    var state: State
    /// Nil if there was never a good version.
    var good: GoodVersion?
    /// The hosts whose changes can release a held, gone or refused file. It is not read again before it or one of them changes.
    /// Not saved, because a start reads each such file.
    var awaitedHosts: Set<String> = []
    /// Warnings and notes about the version in service.
    var warningCounts = WarningCounts()

    /// Why the version on disk is, or is not, the one in service.
    enum State: UInt8, Sendable, CaseIterable {
        /// The version on disk is in service.
        case current
        /// It has errors, or cannot be read.
        case broken
        /// It removes a live entry that is not retired.
        case held
        /// The file was deleted without being retired.
        case gone
        /// A live host could not be rendered with it.
        case refused
    }

    /// Numbers of warnings and notes about something that is served.
    struct WarningCounts: Hashable, Sendable {
        var warnings: UInt16 = 0
        var notes: UInt16 = 0

        init() {}

        init(_ findings: [Finding]) {
            warnings = UInt16(clamping: findings.count { $0.severity == .warning })
            notes = UInt16(clamping: findings.count { $0.severity == .note })
        }
    }

    /// A version without errors that was published.
    struct GoodVersion: Sendable {
        var text: LastGoodText
        /// Seconds since 1970.
        var modified: Int64
        /// The hosts that it names, wildcards with their asterisk.
        var hosts: [String]
        /// The hosts that it names only in other environments.
        var otherHosts: [String]

        /// The same with names in the memory of this thread. Each one in that of a thread that reads files would keep a page there,
        /// although everything around it is free.
        var withOwnNames: GoodVersion {
            var version = self
            for names in [\GoodVersion.hosts, \.otherHosts] {
                version[keyPath: names] = version[keyPath: names].map {
                    String(decoding: Array($0.utf8), as: UTF8.self)
                }
            }
            return version
        }
    }
}

/// The text of a last good version: in memory at first, later in the mapped state file, so that 100,000 texts need no memory.
enum LastGoodText: Sendable {
    case memory([UInt8])
    /// A range of the texts in a state file.
    case state(StateFile, Range<Int>)

    var bytes: [UInt8] { unsafe withBytes { unsafe Array($0) } }

    func equals(_ other: [UInt8]) -> Bool { unsafe withBytes { unsafe $0.elementsEqual(other) } }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .memory(let bytes): return unsafe bytes.withUnsafeBytes(body)
        case .state(let file, let range):
            let texts = unsafe (try? file.bytes(.texts))?[range]
            return withExtendedLifetime(file) {
                unsafe body(texts.map(UnsafeRawBufferPointer.init) ?? UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }
}
