// Where the body of an answer comes from. Small ones are copied behind their heads; these are the others.

import Catalogue

/// A body, or what is left of it, that stays where it is until it is sent.
enum Body {
    case none
    /// In the catalogue, or in memory that the caller keeps until it returns.
    case memory(UnsafeRawBufferPointer)
    /// In a file that the catalogue keeps open.
    case file(Int32, Range<Int>)

    var count: Int {
        switch self {
        case .none: 0
        case .memory(let bytes): bytes.count
        case .file(_, let range): range.count
        }
    }

    /// The same without its first bytes.
    func dropping(_ count: Int) -> Body {
        switch self {
        case .none: return .none
        case .memory(let bytes):
            return bytes.count == count ? .none : .memory(UnsafeRawBufferPointer(rebasing: bytes[count...]))
        case .file(let fd, let range): return range.count == count ? .none : .file(fd, range.dropFirst(count))
        }
    }
}

extension AnswerForm {
    /// A stretch of the body.
    func part(_ range: Range<Int>) -> Body {
        if range.isEmpty { return .none }
        if let file { return .file(file, range) }
        return .memory(UnsafeRawBufferPointer(rebasing: body[range]))
    }
}
