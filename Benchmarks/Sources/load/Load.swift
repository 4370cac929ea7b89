// The benchmark's client for what wrk does not do: handshakes, full and resumed; connections that are held while others are
// served; counts instead of spans of time. Every answer is compared with the one that is expected.
//
//   load MODE --port N --host NAME --path PATH --expect FILE [--ca FILE] [--seconds S] [--count N] [--threads N]
//             [--rate N] [--idle N] [--slow N] [--resume]
//
//   connections  a new connection for each request: with --ca a handshake each, with --resume a resumed one
//   requests     requests one after the other on a connection for each thread
//   pipeline     the same, sixteen at a time
//   hold         holds --idle silent connections and --slow ones that send a byte each second, says `held`, and keeps them
//                until its standard input ends
//   paced        --threads clients that ask --rate times a second between them, for the time each answer takes

import COpenSSL
import Glibc

@main
struct Load {
    let port: UInt16
    let host: String
    let request: [UInt8]
    let closing: [UInt8]
    let expected: [UInt8]
    let trust: Trust?
    let seconds: Double
    let count: Int
    let threads: Int
    let rate: Double
    let idle: Int
    let slow: Int
    let resumes: Bool

    static func main() {
        signal(SIGPIPE, SIG_IGN)
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard let mode = arguments.first else { throw Failure("load MODE …; see the head of Load.swift") }
            let load = try Load(Array(arguments.dropFirst()))
            switch mode {
            case "connections": load.connections()
            case "requests": load.requests(depth: 1)
            case "pipeline": load.requests(depth: 16)
            case "hold": try load.hold()
            case "paced": try load.paced()
            default: throw Failure("there is no mode \(mode)")
            }
        } catch {
            let text = Array("load: \(error)\n".utf8)
            _ = write(2, text, text.count)
            exit(2)
        }
    }

    init(_ arguments: [String]) throws {
        func value(_ name: String) -> String? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
            return arguments[index + 1]
        }
        guard let port = value("--port").flatMap({ UInt16($0) }) else { throw Failure("--port is missing") }
        self.port = port
        host = value("--host") ?? "localhost"
        let lines = "GET \(value("--path") ?? "/") HTTP/1.1\r\nHost: \(host)\r\n"
        request = Array("\(lines)\r\n".utf8)
        closing = Array("\(lines)Connection: close\r\n\r\n".utf8)
        expected = try value("--expect").map(Load.read) ?? []
        trust = try value("--ca").map { try Trust(authority: $0, name: value("--host") ?? "localhost") }
        seconds = value("--seconds").flatMap { Double($0) } ?? 3
        count = value("--count").flatMap { Int($0) } ?? Int.max
        threads = value("--threads").flatMap { Int($0) } ?? 8
        rate = value("--rate").flatMap { Double($0) } ?? 200
        idle = value("--idle").flatMap { Int($0) } ?? 0
        slow = value("--slow").flatMap { Int($0) } ?? 0
        resumes = arguments.contains("--resume")
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw Failure("cannot read \(path)") }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 24)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }

    private func check(_ socket: Socket) throws {
        let (status, body) = try socket.answer()
        guard status == 200, body.elementsEqual(expected) else {
            throw Failure("a wrong answer: \(status), \(body.count) bytes")
        }
    }

    /// Runs one step after the other on each thread until the time or the count is over.
    private func run(_ step: @escaping @Sendable (_ state: inout State) throws -> (requests: Int, isResumed: Bool)) {
        let tally = Tally()
        let start = nanoseconds()
        let end = start + UInt64(seconds * 1e9)
        onThreads(threads) { _ in
            var state = State()
            var (times, resumed) = ([UInt32](), 0)
            while nanoseconds() < end, times.count < count / threads {
                let began = nanoseconds()
                do {
                    let (requests, isResumed) = try step(&state)
                    let time = UInt32(clamping: (nanoseconds() - began) / 1_000)
                    times.append(contentsOf: repeatElement(time, count: requests))
                    if isResumed { resumed += 1 }
                } catch {
                    tally.note(error)
                    state = State()
                }
            }
            tally.note(times, resumed: resumed)
        }
        print(tally.json(seconds: Double(nanoseconds() - start) / 1e9))
    }

    /// What a thread keeps from one step to the next.
    struct State {
        var socket: Socket?
        var session: OpaquePointer?
    }

    private func connections() {
        run { state in
            let socket = try Socket(port: port, trust: trust, session: state.session)
            try socket.send(closing)
            try check(socket)
            if resumes {
                if let old = state.session { SSL_SESSION_free(old) }
                state.session = socket.session()
            }
            return (1, socket.isResumed)
        }
    }

    private func requests(depth: Int) {
        let batch = Array(repeatElement(request, count: depth).joined())
        run { state in
            let socket = try state.socket ?? Socket(port: port, trust: trust)
            state.socket = socket
            try socket.send(batch)
            var answered = 0
            while answered < depth, !socket.isLast {
                try check(socket)
                answered += 1
            }
            if socket.isLast { state.socket = nil }
            return (answered, false)
        }
    }

    /// Connections that only cost: silent ones that have been served once, and senders of a head without end.
    private func hold() throws {
        var silent: [Socket] = []
        defer { silent = [] }
        for _ in 0..<idle {
            let socket = try Socket(port: port, trust: trust)
            try socket.send(request)
            try check(socket)
            silent.append(socket)
        }
        var senders: [Socket] = []
        let start = Array("GET / HTTP/1.1\r\nHost: \(host)\r\nX: ".utf8)
        func makeSender() throws -> Socket {
            let socket = try Socket(port: port, trust: trust)
            try socket.send(start)
            return socket
        }
        for _ in 0..<slow { senders.append(try makeSender()) }
        print("held")
        fflush(nil)
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 1_000) == 0 {
            for index in senders.indices {
                // The server cuts them off in the end; then another one comes.
                do { try senders[index].send([0x61]) } catch { senders[index] = try makeSender() }
            }
        }
    }

    /// Clients at their own pace, --rate questions a second between them: an answer that is late does not delay the next
    /// question, it counts as late.
    private func paced() throws {
        load_sleep_exactly()
        let tally = Tally()
        let start = nanoseconds() + 10_000_000
        onThreads(threads) { thread in
            do {
                try askQuestions(of: thread, from: start, tally)
            } catch {
                tally.note(error)
            }
        }
        print(tally.json(seconds: Double(nanoseconds() - start) / 1e9))
    }

    /// One thread's share of them, evenly between those of the others; microseconds from when each was due. A connection that
    /// the server gives up is replaced: announced, it costs nothing but time; unannounced, the question is lost.
    private func askQuestions(of thread: Int, from start: UInt64, _ tally: Tally) throws {
        var socket = try Socket(port: port, trust: trust)
        var times: [UInt32] = []
        for number in stride(from: thread, to: Int(seconds * rate), by: threads) {
            let due = start + UInt64(Double(number) / rate * 1e9)
            let now = nanoseconds()
            if due > now {
                let wait = Int(due - now)
                var pause = timespec(tv_sec: wait / 1_000_000_000, tv_nsec: wait % 1_000_000_000)
                nanosleep(&pause, nil)
            }
            if socket.isLast { socket = try Socket(port: port, trust: trust) }
            do {
                try socket.send(request)
                try check(socket)
                times.append(UInt32(clamping: (nanoseconds() - due) / 1_000))
            } catch {
                tally.note(error)
                socket = try Socket(port: port, trust: trust)
            }
        }
        tally.note(times)
    }
}
