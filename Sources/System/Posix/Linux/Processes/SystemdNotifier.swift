// Notifies the service manager of state changes (sd_notify(3)) with one datagram each. Without a `NOTIFY_SOCKET` it sends
// nothing. A message that cannot be delivered within half a second is dropped, because serving is more important. The socket is
// opened first, so that the server needs no new one in the sandbox.

import CLinux
import Libc

/// The connection to the service manager, if there is one.
public final class SystemdNotifier: Sendable {
    private let number: Int32?
    /// What `NOTIFY_SOCKET` names; nil without one.
    public let place: String?
    /// Readable when a parent tells something; nil without a connection.
    public var descriptor: Int32? { number }
    /// How often to send that the process is alive: half the watchdog's timeout. Nil without a watchdog.
    public let watchdogMilliseconds: Int64?

    /// A state that is reported.
    public enum State: Sendable {
        /// The server answers requests.
        case ready(status: String)
        /// The catalogue has changed.
        case serving(status: String)
        /// A reload has begun.
        case reloading
        /// All threads make progress. Without this message the watchdog restarts the process.
        case alive
        /// The service ends. From a server to its parent: it has ended, but for its process.
        case stopping
    }

    /// Reads `NOTIFY_SOCKET` and removes it from the environment, so that no child process uses it. To be called before any
    /// thread is started.
    public init() {
        place = environment("NOTIFY_SOCKET").flatMap { $0.isEmpty ? nil : $0 }
        if let address = place.flatMap(SocketAddress.init(notifying:)) {
            number = SystemdNotifier.connect(to: address)
            number.map(SystemdNotifier.limitWaiting)
        } else {
            number = nil
        }
        watchdogMilliseconds =
            number == nil
            ? nil
            : SystemdNotifier.watchdogMilliseconds(environment("WATCHDOG_USEC"), environment("WATCHDOG_PID"), getpid())
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsafe unsetenv(name) }
    }

    /// Reports to a parent process instead, over a socket that it has passed on.
    public init(takingOwnershipOf number: Int32, watchdogMilliseconds: Int64?) {
        (self.number, self.watchdogMilliseconds, place) = (number, watchdogMilliseconds, nil)
        SystemdNotifier.limitWaiting(number)
    }

    /// The queue of a busy receiver may be full. One that hangs must not hold up this process.
    private static func limitWaiting(_ number: Int32) {
        var limit = timeval(tv_sec: 0, tv_usec: 500_000)
        _ = unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Half the timeout, if it is meant for this process (sd_watchdog_enabled(3)).
    static func watchdogMilliseconds(_ microseconds: String?, _ process: String?, _ own: Int32) -> Int64? {
        guard let microseconds = microseconds.flatMap({ Int64($0) }), microseconds > 0 else { return nil }
        if let process, Int32(process) != own { return nil }
        return max(1, microseconds / 2_000)
    }

    deinit {
        if let number { closeDescriptor(number) }
    }

    private static func connect(to address: SocketAddress) -> Int32? {
        guard let socket = try? Descriptor.socket(AF_UNIX, datagramSocket) else { return nil }
        let isConnected = unsafe address.withPointer { pointer, length in
            retrying { unsafe Libc.connect(socket.number, pointer, length) } == 0
        }
        return isConnected ? socket.release() : nil
    }

    /// - Returns: false if nobody reads what is to be notified.
    @discardableResult
    public func notify(_ state: State) -> Bool {
        guard let number else { return place == nil }
        let text = Array(SystemdNotifier.text(state).utf8)
        return retrying { unsafe send(number, text, text.count, Int32(MSG_NOSIGNAL)) } >= 0
    }

    /// Assignments, one in each line. systemd needs the time of a reload to distinguish it from earlier ones.
    static func text(_ state: State) -> String {
        switch state {
        case .ready(let status): "READY=1\nSTATUS=\(line(status))\n"
        case .serving(let status): "STATUS=\(line(status))\n"
        case .alive: "WATCHDOG=1\n"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())\n"
        case .stopping: "STOPPING=1\n"
        }
    }

    /// A status may quote the name of a file, which may have any bytes.
    private static func line(_ status: String) -> String {
        var byteCount = 0
        let shown = status.unicodeScalars.prefix { scalar in
            byteCount += UTF8.width(scalar)
            return byteCount <= statusBytesMax
        }
        return String(
            String.UnicodeScalarView(shown.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
    }

    /// A parent accepts 1,024 with the name in front.
    private static let statusBytesMax = 1_000
}

/// Decides when to send that the process is alive: at half the watchdog's timeout, and only while it is alive.
public struct Watchdog: Sendable {
    private let milliseconds: Int64?
    private var last = Int64.min / 2

    /// When the next one is due; nil for never.
    public var dueMilliseconds: Int64? { milliseconds.map { last + $0 } }

    /// - Parameter milliseconds: how often; nil for never.
    public init(milliseconds: Int64?) { self.milliseconds = milliseconds }

    public mutating func isDue(now: Int64, isAlive: Bool) -> Bool {
        guard let milliseconds, isAlive, now - last >= milliseconds else { return false }
        last = now
        return true
    }
}

extension SocketAddress {
    /// A path, or `@` and an abstract name (unix(7)).
    fileprivate init?(notifying text: String) {
        if text.hasPrefix("/") {
            self.init(path: text)
        } else if text.hasPrefix("@"), text.utf8.count > 1 {
            guard let address = SocketAddress(path: text) else { return nil }
            self = address
            let offset = MemoryLayout<sa_family_t>.size
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0[offset] = 0 }
            length = socklen_t(offset + text.utf8.count)
        } else {
            return nil
        }
    }
}
