// Sessions read and write their records through a BIO over the worker's memory instead of sockets. A handshake is then one receive
// and one send for each group of messages, and a session needs no buffer for records.

import COpenSSL

/// The records of the session that is being served. All sessions of a worker share it, because a worker serves one at a time.
@safe struct Wire {
    /// Received records that OpenSSL has not read yet.
    var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Records that are not sent yet.
    private var memory: UnsafeMutableRawBufferPointer
    private(set) var outputCount = 0

    init() { unsafe memory = .allocate(byteCount: 65_536, alignment: 64) }

    func deallocate() { unsafe memory.deallocate() }

    var output: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory[..<outputCount]) }

    mutating func clearOutput() { outputCount = 0 }

    /// Appends records; the memory grows when an answer is larger than all before it.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if unsafe outputCount + bytes.count > memory.count {
            let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(memory.count * 2, outputCount + bytes.count), alignment: 64)
            unsafe larger.copyMemory(from: output)
            unsafe memory.deallocate()
            unsafe memory = larger
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[outputCount...]).copyMemory(from: bytes)
        outputCount += bytes.count
    }

    /// The BIO over this memory. Sessions share it, each with a reference. The corresponding C functions are `BIO_meth_new` and
    /// `BIO_new`.
    static func makeBIO(_ wire: UnsafeMutablePointer<Wire>) throws(TLSError) -> OpaquePointer {
        guard let method = unsafe method, let bio = unsafe BIO_new(method) else {
            throw TLSError("cannot create a TLS transport: \(OpenSSLFailure.drain())")
        }
        unsafe BIO_set_data(bio, wire)
        unsafe BIO_set_init(bio, 1)
        return unsafe bio
    }

    private nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "wire") else { return nil }
        unsafe BIO_meth_set_read(method, readWire)
        unsafe BIO_meth_set_write(method, writeWire)
        unsafe BIO_meth_set_ctrl(method, controlWire)
        return unsafe method
    }()
}

private func wire(of bio: OpaquePointer) -> UnsafeMutablePointer<Wire> {
    unsafe BIO_get_data(bio).assumingMemoryBound(to: Wire.self)
}

private func readWire(_ bio: OpaquePointer?, _ target: UnsafeMutablePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let bio = unsafe bio, let target = unsafe target else { return -1 }
    let wire = unsafe wire(of: bio)
    let step = unsafe min(Int(count), wire.pointee.input.count)
    if step == 0 {
        unsafe associated_want_more(bio)
        return -1
    }
    unsafe associated_want_nothing(bio)
    unsafe UnsafeMutableRawPointer(target).copyMemory(from: wire.pointee.input.baseAddress!, byteCount: step)
    unsafe wire.pointee.input = UnsafeRawBufferPointer(rebasing: wire.pointee.input[step...])
    return Int32(step)
}

private func writeWire(_ bio: OpaquePointer?, _ source: UnsafePointer<CChar>?, _ count: Int32) -> Int32 {
    guard let bio = unsafe bio, let source = unsafe source else { return -1 }
    unsafe associated_want_nothing(bio)
    unsafe wire(of: bio).pointee.append(UnsafeRawBufferPointer(start: source, count: Int(count)))
    return count
}

/// Flushing succeeds, because there is nothing to flush; other commands are not supported, which is 0.
private func controlWire(_: OpaquePointer?, _ command: Int32, _: Int, _: UnsafeMutableRawPointer?) -> Int {
    command == BIO_CTRL_FLUSH ? 1 : 0
}
