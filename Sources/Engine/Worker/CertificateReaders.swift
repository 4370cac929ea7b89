// The threads that read certificates for all workers. With a slow disk, or a key that takes long to decrypt, only connections
// wait whose certificate is not in memory.

import Posix
import TLS

/// The reading threads.
final class CertificateReaders: Sendable {
    let queue: LoadingQueue

    /// Keys with a passphrase, which take long to open, have a thread of their own, so that the others do not wait for them.
    private static let lanes: [ReadingLane] = [.quick, .quick, .slow]

    init(_ certificates: CertificateStore) throws(Engine.StartError) {
        queue = try Engine.starting { try LoadingQueue(certificates) }
        for (number, lane) in CertificateReaders.lanes.enumerated() {
            do throws(SystemError) {
                // Never joined: a read in progress may take long.
                try Thread(name: "certificates \(number)") { [queue] in queue.run(lane) }.detach()
            } catch {
                queue.end(CertificateReaders.lanes.prefix(number))
                throw .cannotStart("\(error)")
            }
        }
    }

    /// To be called when all workers have ended. Does not wait for a read in progress.
    func end() { queue.end(CertificateReaders.lanes) }
}
