// The threads that read certificates for all workers, so that a slow disk or a key that takes long to decrypt keeps only
// those connections waiting whose certificate is not in memory.

import Posix
import Synchronization
import TLS

/// Running threads, until they are ended.
final class CertificateReaders: Sendable {
    let queue: LoadingQueue
    private let threads: Threads

    /// One disk may be slow, and opening keys with a passphrase takes long: the others have threads of their own.
    private static let lanes: [ReadingLane] = [.quick, .quick, .slow]

    init(_ certificates: CertificateStore) throws(Engine.StartError) {
        threads = Threads(capacity: CertificateReaders.lanes.count)
        do throws(SystemError) { queue = try LoadingQueue(certificates) } catch { throw .cannotStart("\(error)") }
        for (number, lane) in CertificateReaders.lanes.enumerated() {
            do throws(SystemError) {
                threads.append(try Thread(name: "certificates \(number)") { [queue] in queue.run(lane) })
            } catch {
                queue.end(CertificateReaders.lanes.prefix(number))
                threads.join()
                throw .cannotStart("\(error)")
            }
        }
    }

    /// To be called when all workers have ended. What is being read at the moment may take long and is no longer waited for,
    /// so its thread ends when it does.
    func end() {
        queue.end(CertificateReaders.lanes)
        threads.detach()
    }
}

/// Running threads until they are joined: owners that Swift's arrays cannot hold, because they cannot be copied.
@safe final class Threads: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<Thread>
    private let count = Mutex(0)

    init(capacity: Int) { unsafe memory = .allocate(capacity: capacity) }

    func append(_ thread: consuming Thread) {
        let index = count.withLock { count in
            count += 1
            return count - 1
        }
        unsafe (memory + index).initialize(to: thread)
    }

    /// Waits until all have ended. Called again, it finds none.
    func join() {
        for index in 0..<takeCount() { unsafe (memory + index).move().join() }
    }

    /// Leaves them to themselves.
    func detach() {
        for index in 0..<takeCount() { unsafe (memory + index).move().detach() }
    }

    private func takeCount() -> Int {
        count.withLock { count in
            defer { count = 0 }
            return count
        }
    }

    deinit { unsafe memory.deallocate() }
}
