// The threads that read certificates for all workers. With a slow disk, or a key that takes long to decrypt, only connections
// wait whose certificate is not in memory.

import Posix
import Synchronization
import TLS

/// The reading threads.
final class CertificateReaders: Sendable {
    let queue: LoadingQueue
    private let threads: Threads

    /// Keys with a passphrase, which take long to open, have a thread of their own, so that the others do not wait for them.
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

    /// To be called when all workers have ended. Does not wait for a read in progress, which may take long.
    func end() {
        queue.end(CertificateReaders.lanes)
        threads.detach()
    }
}

/// A list of threads, because Swift's arrays cannot hold noncopyable values.
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

    /// Waits until all have ended. A second call does nothing.
    func join() {
        for index in 0..<takeCount() { unsafe (memory + index).move().join() }
    }

    /// Detaches all of them.
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
