// The second door of the server, for those who run it: health, metrics and status, over HTTP/1.1 on an address of its own.

public import Posix
import Synchronization

public final class AdminListener: Sendable {
    /// Where it listens, or did.
    public let address: SocketAddress
    private let control: AdminControl
    private let thread: Mutex<Running?>

    private final class Running: @unchecked Sendable {
        private var thread: Thread?

        init(_ thread: consuming Thread) { self.thread = consume thread }

        func join() { if let thread = thread.take() { thread.join() } }
    }

    /// Why the listener could not start.
    public enum StartError: Error, CustomStringConvertible {
        case refused(String)
        case cannotListen(SocketAddress, SystemError)
        case cannotStart(SystemError)

        public var description: String {
            switch self {
            case .refused(let reason): reason
            case .cannotListen(let address, let error):
                "cannot listen on \(address) for admin: \(error.reason)\(error.remedy(listeningOn: address))"
            case .cannotStart(let error): "cannot start the admin listener: \(error)"
            }
        }
    }

    /// Answers whoever connects to the socket.
    public convenience init(
        _ settings: AdminSettings, _ sources: AdminSources, on socket: AdminSocket
    ) throws(StartError) {
        try self.init(settings, sources, on: socket, limits: AdminLimits())
    }

    init(
        _ settings: AdminSettings, _ sources: AdminSources, on socket: AdminSocket, limits: AdminLimits
    ) throws(StartError) {
        address = socket.address
        do throws(SystemError) {
            let control = try AdminControl(socket)
            let loop = try AdminLoop(settings, sources, limits, control)
            thread = Mutex(Running(try Thread(name: "admin", owning: loop) { $0.run() }))
            self.control = control
        } catch {
            throw .cannotStart(error)
        }
    }

    /// To be called when the server begins to end: leaves the address to the process that takes over, if there is one.
    /// Otherwise it goes on answering, that the server is not ready any more.
    public func yield() {
        // The loop has it last, and closes it: where the kernel cannot be told whose the connections are, some would wait
        // here for nobody otherwise.
        if control.socket?.hasNeighbours == true { control.stopAccepting() }
    }

    /// Ends all connections and the thread.
    public func stop() {
        let running = thread.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        control.stop()
        running.join()
        control.socket?.removeFile()
    }

    deinit { stop() }
}
