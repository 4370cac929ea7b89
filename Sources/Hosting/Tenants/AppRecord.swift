// What is known of one app file: how it looked last, and the last version of it that was good. That version is what
// everything served follows from; the file on disk only ever replaces it by another good one.

import Association
import Catalogue
import Posix

/// One app file, as it is remembered.
struct AppRecord: Sendable {
    /// The file as it was when it was last looked at; nil when it is to be read at the next look in any case.
    var mark: FileStatus?
    var standing: Standing
    /// Nil while there has never been a good version.
    var good: GoodVersion?
    /// The hosts that decide whether a file that is held, gone or refused stays so. It is not read again until it changes, or
    /// something about one of them does. A start reads each such file, so this is not kept in the state.
    var awaited: Set<String> = []
    /// What the version in service has of less than errors.
    var lesser = LesserCounts()

    /// How the file on disk stands to the version in service.
    enum Standing: UInt8, Sendable, CaseIterable {
        /// It is the version in service.
        case current
        /// It has errors, or cannot be read.
        case broken
        /// It drops something that is live.
        case held
        /// It is not there any more, and was not retired.
        case gone
        /// With it, a host that is live could not be rendered.
        case refused
    }

    /// How many warnings and notes there are about something that is served all the same.
    struct LesserCounts: Hashable, Sendable {
        var warnings: UInt16 = 0
        var notes: UInt16 = 0

        init() {}

        init(_ findings: [Finding]) {
            warnings = UInt16(clamping: findings.count { $0.severity == .warning })
            notes = UInt16(clamping: findings.count { $0.severity == .note })
        }
    }

    /// A version that was good.
    struct GoodVersion: Sendable {
        var text: KeptText
        /// Seconds since 1970.
        var modified: Int64
        /// The hosts that it names, with their asterisks.
        var hosts: [String]
        /// Those that it names in other environments only.
        var otherHosts: [String]
    }
}

/// The text of a last good version: in memory while it is young, in the state file afterwards, so that a hundred thousand of them
/// take no memory.
enum KeptText: Sendable {
    case memory([UInt8])
    /// In the texts of a state file, which has that much.
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
