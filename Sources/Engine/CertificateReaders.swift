// The threads that read certificates for all workers, so that a slow disk or a key that takes long to decrypt keeps only
// those waiting whose certificate is not in memory.

import Posix
import TLS

/// Running threads, until they are ended.
final class CertificateReaders: Sendable {
    let queue: LoadingQueue
    private let threads: Threads

    /// One folder may take long; the others have another thread.
    private static let count = 2

    init(_ certificates: CertificateStore) throws(Engine.StartError) {
        threads = Threads(capacity: CertificateReaders.count)
        do throws(SystemError) { queue = try LoadingQueue(certificates) } catch { throw .cannotStart("\(error)") }
        for number in 0..<CertificateReaders.count {
            do throws(SystemError) {
                threads.append(try Thread(name: "certificates \(number)") { [queue] in queue.run() })
            } catch {
                queue.end(threads: number)
                threads.join()
                throw .cannotStart("\(error)")
            }
        }
    }

    /// To be called when all workers have ended. What is being read at the moment may take long, and nobody waits for it
    /// any more, so its thread ends when it does.
    func end() {
        queue.end(threads: CertificateReaders.count)
        threads.detach()
    }
}
