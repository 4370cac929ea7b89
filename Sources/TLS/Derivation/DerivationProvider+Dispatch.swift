// The tables by which OpenSSL finds the functions of the provider (provider-base(7), provider-kdf(7)), and the functions. They
// are made once and never freed. A context is what was set in it before it derives, which sessions never do.

import COpenSSL

/// What a derivation was told in advance, with copies of the bytes.
private struct DerivationContext {
    var request = DerivationRequest()
    private var copies: [UnsafeMutableRawBufferPointer] = []

    mutating func set(_ list: UnsafePointer<OSSL_PARAM>?) -> Bool {
        // Of a list that is refused nothing is kept: its bytes are its caller's.
        var taken = request
        guard taken.take(list) else { return false }
        request = taken
        let earlier = copies
        copies = []
        request.copyBytes { bytes in
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
            copy.copyMemory(from: bytes)
            copies.append(copy)
            return UnsafeRawBufferPointer(copy)
        }
        DerivationContext.free(earlier)
        return true
    }

    mutating func clear() {
        DerivationContext.free(copies)
        self = DerivationContext()
    }

    private static func free(_ copies: [UnsafeMutableRawBufferPointer]) {
        for copy in copies {
            OPENSSL_cleanse(copy.baseAddress, copy.count)
            copy.deallocate()
        }
    }
}

private typealias ContextPointer = UnsafeMutablePointer<DerivationContext>

private func context(_ pointer: UnsafeMutableRawPointer) -> ContextPointer {
    pointer.assumingMemoryBound(to: DerivationContext.self)
}

private let makeContext: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { _ in
    let context = ContextPointer.allocate(capacity: 1)
    context.initialize(to: DerivationContext())
    return UnsafeMutableRawPointer(context)
}

private let freeContext: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    guard let pointer else { return }
    context(pointer).pointee.clear()
    context(pointer).deinitialize(count: 1)
    context(pointer).deallocate()
}

private let resetContext: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
    if let pointer { context(pointer).pointee.clear() }
}

private let setContext: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<OSSL_PARAM>?) -> Int32 = {
    pointer, list in
    guard let pointer else { return 0 }
    return context(pointer).pointee.set(list) ? 1 : 0
}

private let derive:
    @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int, UnsafePointer<OSSL_PARAM>?) -> Int32 =
        {
            pointer, output, count, list in
            guard let pointer, let output else { return 0 }
            var request = context(pointer).pointee.request
            guard request.take(list) else { return 0 }
            return request.derive(into: UnsafeMutableRawBufferPointer(start: output, count: count)) ? 1 : 0
        }

private let answerQuery:
    @convention(c) (UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<Int32>?) -> UnsafePointer<OSSL_ALGORITHM>? = {
        _, operation, mayNotCache in
        mayNotCache?.pointee = 0
        return operation == OSSL_OP_KDF ? DerivationProvider.algorithms : nil
    }

/// The corresponding C type is `OSSL_provider_init_fn`.
let startProvider:
    @convention(c) (
        OpaquePointer?, UnsafePointer<OSSL_DISPATCH>?, UnsafeMutablePointer<UnsafePointer<OSSL_DISPATCH>?>?,
        UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> Int32 = { _, _, functions, _ in
        functions?.pointee = DerivationProvider.functions
        return 1
    }

extension DerivationProvider {
    private typealias Function = @convention(c) () -> Void

    /// Of the provider itself.
    fileprivate nonisolated(unsafe) static let functions = lasting([
        OSSL_DISPATCH(
            function_id: OSSL_FUNC_PROVIDER_QUERY_OPERATION, function: unsafeBitCast(answerQuery, to: Function.self))
    ])

    /// Of its one algorithm.
    private nonisolated(unsafe) static let derivation = lasting([
        OSSL_DISPATCH(function_id: OSSL_FUNC_KDF_NEWCTX, function: unsafeBitCast(makeContext, to: Function.self)),
        OSSL_DISPATCH(function_id: OSSL_FUNC_KDF_FREECTX, function: unsafeBitCast(freeContext, to: Function.self)),
        OSSL_DISPATCH(function_id: OSSL_FUNC_KDF_RESET, function: unsafeBitCast(resetContext, to: Function.self)),
        OSSL_DISPATCH(
            function_id: OSSL_FUNC_KDF_SET_CTX_PARAMS, function: unsafeBitCast(setContext, to: Function.self)),
        OSSL_DISPATCH(function_id: OSSL_FUNC_KDF_DERIVE, function: unsafeBitCast(derive, to: Function.self)),
    ])

    fileprivate nonisolated(unsafe) static let algorithms = lasting([
        OSSL_ALGORITHM(
            algorithm_names: algorithm.cString, property_definition: definition.cString,
            implementation: derivation, algorithm_description: nil)
    ])

    /// A table that is never freed, with an entry of zeros at its end.
    private static func lasting<Entry>(_ entries: [Entry]) -> UnsafePointer<Entry> {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MemoryLayout<Entry>.stride * (entries.count + 1), alignment: MemoryLayout<Entry>.alignment)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        let table = bytes.bindMemory(to: Entry.self)
        for (index, entry) in entries.enumerated() { table[index] = entry }
        return UnsafePointer(table.baseAddress!)
    }
}
