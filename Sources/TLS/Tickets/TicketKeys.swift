// The keys of session tickets, shared by all workers, so that a client may resume at whichever worker accepts it. A ticket
// is only as secret as its key, so keys are replaced twice a day; tickets of the replaced key are still read for as long.
//
// A fleet behind one name shares a file instead: 80 bytes for each key (`openssl rand 80 >ticket.key`). The first key makes
// tickets, the others are only read. To replace it without losing a session, put the new key second, wait until each server
// has read the file (a minute), then move it to the front and keep the old one behind it for a day.

import COpenSSL
import Posix
import Synchronization

/// The ticket keys of one server.
public final class TicketKeys: Sendable {
    public static let rotationMillisecondsDefault: Int64 = 12 * 3600 * 1000
    static let fileKeysMax = 16
    static let recheckMilliseconds: Int64 = 60_000

    private struct State {
        /// The first makes tickets; all read them.
        var keys: [TicketKey]
        /// When the keys are to be rotated, or the file to be looked at again, by the monotonic clock.
        var dueMilliseconds: Int64
        var stamp: FileStatus?
        /// What was last said of the file, so that it is said once.
        var complaint: String?
    }

    private enum Source {
        case own(rotationMilliseconds: Int64)
        case file(String)
    }

    private let source: Source
    private let state: Mutex<State>

    /// Keys of this process alone, rotated by time.
    public init(rotationMilliseconds: Int64 = TicketKeys.rotationMillisecondsDefault) throws(TLSError) {
        precondition(rotationMilliseconds > 0, "keys are rotated in the future")
        source = .own(rotationMilliseconds: rotationMilliseconds)
        let due = Clock.monotonicMilliseconds() + rotationMilliseconds
        state = Mutex(State(keys: [try TicketKey()], dueMilliseconds: due))
    }

    /// Keys shared by a fleet; changes of the file are noticed within a minute.
    public init(file: String) throws(TLSError) {
        source = .file(file)
        let stamp = try? File.status(file)
        let keys = try TicketKeys.read(file)
        let due = Clock.monotonicMilliseconds() + TicketKeys.recheckMilliseconds
        state = Mutex(State(keys: keys, dueMilliseconds: due, stamp: stamp))
    }

    /// The key for a new ticket.
    func current(now: Int64) -> TicketKey {
        state.withLock { state in
            if now >= state.dueMilliseconds { advance(&state, now) }
            return state.keys[0]
        }
    }

    /// The key of a ticket, and whether it is the one for new ones.
    func key(named name: UnsafeRawPointer, now: Int64) -> (key: TicketKey, isCurrent: Bool)? {
        nonisolated(unsafe) let name = name
        return state.withLock { state in
            if now >= state.dueMilliseconds { advance(&state, now) }
            guard let index = state.keys.firstIndex(where: { $0.isNamed(name) }) else { return nil }
            return (state.keys[index], index == 0)
        }
    }

    /// Looks whether the file has changed, and takes its keys when it can be used. Not for workers: a disk may take long. To be
    /// called every second or so; it looks once a minute.
    /// - Returns: what is wrong with the file, once for each fault. Its last good keys stay in use.
    public func look(now: Int64) -> TLSError? {
        guard case .file(let path) = source else { return nil }
        let last: FileStatus?? = state.withLock { state in
            guard now >= state.dueMilliseconds else { return nil }
            state.dueMilliseconds = now + TicketKeys.recheckMilliseconds
            return .some(state.stamp)
        }
        guard let last else { return nil }
        let stamp = try? File.status(path)
        var error: TLSError?
        if stamp == nil || stamp != last {
            do throws(TLSError) {
                let keys = try TicketKeys.read(path)
                state.withLock { ($0.keys, $0.stamp) = (keys, stamp) }
            } catch let found {
                error = found
            }
        }
        if error == nil, let stamp, stamp.permissions & 0o077 != 0 {
            error = TLSError(
                "the ticket keys in \(path) can be read by others, who could read what clients send; chmod 600")
        }
        return state.withLock { state in
            defer { state.complaint = error?.description }
            return error?.description == state.complaint ? nil : error
        }
    }

    private func advance(_ state: inout State, _ now: Int64) {
        switch source {
        case .own(let rotationMilliseconds):
            // Without random bytes no handshake works either; the old key serves until there are some.
            guard let new = try? TicketKey() else { return OpenSSLFailure.forget() }
            // After a quiet day the last key is too old as well.
            let isLate = now - state.dueMilliseconds >= rotationMilliseconds
            state.keys = isLate ? [new] : [new, state.keys[0]]
            state.dueMilliseconds = now + rotationMilliseconds
        case .file: break
        }
    }

    private static func read(_ path: String) throws(TLSError) -> [TicketKey] {
        let advice = "make one with openssl rand \(TicketKey.byteCount), and chmod 600"
        let content: SecretBytes
        do throws(FileError) {
            content = try SecretBytes(reading: path, bytesMax: fileKeysMax * TicketKey.byteCount)
        } catch {
            throw TLSError("cannot read the ticket keys in \(path): \(error); \(advice)")
        }
        guard content.count > 0, content.count % TicketKey.byteCount == 0 else {
            throw TLSError(
                "cannot use the ticket keys in \(path): \(content.count) bytes are not \(TicketKey.byteCount) for each "
                    + "key; \(advice)")
        }
        var keys: [TicketKey] = []
        for start in stride(from: 0, to: content.count, by: TicketKey.byteCount) {
            let part = content.bytes[start..<start + TicketKey.byteCount]
            keys.append(TicketKey(copying: UnsafeRawBufferPointer(rebasing: part)))
        }
        return keys
    }
}
