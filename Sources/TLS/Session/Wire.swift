// Where sessions read and write their records: memory of the worker, through a BIO of our own, instead of a socket each.
// A handshake is then one receive and one send per flight, and a session needs no buffer of its own for records.

import COpenSSL

/// Bytes on their way into and out of the session that is served at the moment. One for all sessions of a worker: a worker
/// serves one at a time.
struct Wire {
    /// Records received and not yet read by OpenSSL.
    var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Records made and not yet sent.
    private var memory: UnsafeMutableRawBufferPointer
    private(set) var outputCount = 0

    init() { memory = .allocate(byteCount: 65_536, alignment: 64) }

    func deallocate() { memory.deallocate() }

    var output: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<outputCount]) }

    mutating func clearOutput() { outputCount = 0 }

    /// Takes records; grows when one answer is larger than all before it.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if outputCount + bytes.count > memory.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(memory.count * 2, outputCount + bytes.count), alignment: 64)
            larger.copyMemory(from: output)
            memory.deallocate()
            memory = larger
        }
        UnsafeMutableRawBufferPointer(rebasing: memory[outputCount...]).copyMemory(from: bytes)
        outputCount += bytes.count
    }

    /// The BIO over a wire. Sessions share it; each holds a reference.
    /// The corresponding C functions are `BIO_meth_new` and `BIO_new`.
    static func makeBIO(_ wire: UnsafeMutablePointer<Wire>) throws(TLSError) -> OpaquePointer {
        guard let method, let bio = BIO_new(method) else {
            throw TLSError("cannot make a TLS transport: \(OpenSSLFailure.drain())")
        }
        BIO_set_data(bio, wire)
        BIO_set_init(bio, 1)
        return bio
    }

    private nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire") else { return nil }
        BIO_meth_set_read(method, readWire)
        BIO_meth_set_write(method, writeWire)
        BIO_meth_set_ctrl(method, controlWire)
        return method
    }()
}

private func wire(of bio: OpaquePointer) -> UnsafeMutablePointer<Wire> {
    BIO_get_data(bio).assumingMemoryBound(to: Wire.self)
}

private func readWire(_ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let bio, let target else { return -1 }
    let wire = wire(of: bio)
    let step = min(Int(count), wire.pointee.input.count)
    if step == 0 {
        associated_want_more(bio)
        return -1
    }
    associated_want_nothing(bio)
    UnsafeMutableRawPointer(target).copyMemory(from: wire.pointee.input.baseAddress!, byteCount: step)
    wire.pointee.input = UnsafeRawBufferPointer(rebasing: wire.pointee.input[step...])
    return Int32(step)
}

private func writeWire(_ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let bio, let source else { return -1 }
    associated_want_nothing(bio)
    wire(of: bio).pointee.append(UnsafeRawBufferPointer(start: source, count: Int(count)))
    return count
}

/// Flushing succeeds, because there is nothing to flush; everything else is unknown here, which is 0.
private func controlWire(_: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
