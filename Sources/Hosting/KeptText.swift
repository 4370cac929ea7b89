// The text of a last good version, wherever it is kept: in memory while it is young, in the state file afterwards, so that a
// hundred thousand of them take no memory.

import Catalogue

enum KeptText: Sendable {
    case memory([UInt8])
    /// In the texts of a state file, which has that much.
    case state(StateFile, Range<Int>)

    var bytes: [UInt8] { withBytes { Array($0) } }

    func equals(_ other: [UInt8]) -> Bool { withBytes { $0.elementsEqual(other) } }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .memory(let bytes): return bytes.withUnsafeBytes(body)
        case .state(let file, let range):
            let texts = (try? file.bytes(.texts))?[range]
            return withExtendedLifetime(file) {
                body(texts.map(UnsafeRawBufferPointer.init) ?? UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }
}
