// Tells whoever supervises this process how it is doing (sd_notify(3)): one datagram for each change. Where nobody wants
// to know, nothing is sent; a message that cannot be delivered is dropped, because serving matters more than saying so. The
// way there is opened first of all, so that a server needs no other socket once it has shut itself in.

import CLinux
import Glibc

/// The socket of the supervisor, if it has one.
public final class SystemdNotifier: Sendable {
    private let number: Int32?
    /// How often the supervisor wants to hear that the process is alive, at half the time after which it would act; nil where
    /// it does not want to know.
    public let watchdogMilliseconds: Int64?

    /// A change that a supervisor waits for.
    public enum State: Sendable {
        /// Everything is in service.
        case ready(status: String)
        /// What is in service has changed.
        case serving(status: String)
        /// What is in service is being replaced.
        case reloading
        /// Everything moves: a supervisor that hears nothing for so long starts the process again.
        case alive
        case stopping
    }

    /// Reads `NOTIFY_SOCKET` and removes it from the environment, so that no child speaks for this process. To be called
    /// before any thread is started.
    public init() {
        if let address = environment("NOTIFY_SOCKET").flatMap(SocketAddress.init(notifying:)) {
            number = SystemdNotifier.connect(to: address)
        } else {
            number = nil
        }
        watchdogMilliseconds =
            number == nil
            ? nil
            : SystemdNotifier.watchdogMilliseconds(environment("WATCHDOG_USEC"), environment("WATCHDOG_PID"), getpid())
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] { unsafe unsetenv(name) }
    }

    /// Half of what the supervisor says, where it says it to this process (sd_watchdog_enabled(3)).
    static func watchdogMilliseconds(_ microseconds: String?, _ process: String?, _ own: Int32) -> Int64? {
        guard let microseconds = microseconds.flatMap({ Int64($0) }), microseconds > 0 else { return nil }
        if let process, Int32(process) != own { return nil }
        return max(1, microseconds / 2_000)
    }

    deinit {
        if let number { closeDescriptor(number) }
    }

    private static func connect(to address: SocketAddress) -> Int32? {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return nil }
        let isConnected = unsafe address.withPointer { pointer, length in
            retrying { unsafe Glibc.connect(number, pointer, length) } == 0
        }
        if isConnected { return number }
        closeDescriptor(number)
        return nil
    }

    public func tell(_ state: State) {
        guard let number else { return }
        let text = Array(SystemdNotifier.text(state).utf8)
        _ = retrying { unsafe send(number, text, text.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Assignments, one a line. systemd wants to know when a reload began, to tell it from earlier ones.
    static func text(_ state: State) -> String {
        switch state {
        case .ready(let status): "READY=1\nSTATUS=\(status)\n"
        case .serving(let status): "STATUS=\(status)\n"
        case .alive: "WATCHDOG=1\n"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Clock.monotonicMicroseconds())\n"
        case .stopping: "STOPPING=1\n"
        }
    }
}

/// When a supervisor is to hear that the process is alive: at half of the time after which it would start another one, and only
/// while it is. Asked every second, so it works where a supervisor allows four seconds or more.
public struct Watchdog: Sendable {
    private let milliseconds: Int64?
    private var last = Int64.min / 2

    /// - Parameter milliseconds: how often; nil for never.
    public init(milliseconds: Int64?) { self.milliseconds = milliseconds }

    public mutating func isDue(now: Int64, isAlive: Bool) -> Bool {
        guard let milliseconds, isAlive, now - last >= milliseconds else { return false }
        last = now
        return true
    }
}

extension SocketAddress {
    /// A path, or behind `@` a name that is no file (unix(7), abstract).
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
