// The results of a look-up in the catalogue: values with pointers to prepared bytes.

public import HTTP

/// A prepared answer in the image.
@safe public struct Answer {
    let record: UnsafePointer<AnswerRecord>
    let base: UnsafeRawPointer
    let descriptors: UnsafeBufferPointer<Int32>

    public var kind: AnswerKind { unsafe AnswerKind(rawValue: record.pointee.kind)! }
    public var status: Status { unsafe Status(rawValue: record.pointee.status)! }
    public var hasGzip: Bool { unsafe record.pointee.hasGzip != 0 }

    /// Seconds since 1970; nil if the answer has no date of its own.
    public var lastModified: Int64? {
        unsafe record.pointee.lastModified == Int64.min ? nil : record.pointee.lastModified
    }

    /// The answer in one coding; gzip only if `hasGzip`.
    public func form(_ coding: ContentCoding) -> AnswerForm {
        let record = unsafe coding == .gzip ? record.pointee.gzip : record.pointee.identity
        return unsafe AnswerForm(
            record: record, base: base, file: record.file >= 0 ? descriptors[Int(record.file)] : nil)
    }
}

/// An answer in one coding: the bytes to send.
@safe public struct AnswerForm {
    let record: RepresentationRecord
    let base: UnsafeRawPointer
    /// The descriptor of the file that holds the body; nil when it is in memory.
    public let file: Int32?

    /// All field lines but the length.
    public var fields: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(bytes(record.fields)) }

    /// The field lines that a 304 repeats.
    public var sharedFields: UnsafeRawBufferPointer { unsafe slice(0, Int(record.sharedFieldBytes)) }

    /// The `content-type` line, with its line end.
    public var contentType: UnsafeRawBufferPointer {
        unsafe slice(Int(record.sharedFieldBytes), Int(record.contentTypeBytes))
    }

    /// The field lines after the type.
    public var otherFields: UnsafeRawBufferPointer {
        let start = Int(record.sharedFieldBytes) + Int(record.contentTypeBytes)
        return unsafe slice(start, Int(record.fields.count) - start)
    }

    public var bodyCount: Int { Int(record.body.count) }

    /// The body, which must be in memory.
    public var body: UnsafeRawBufferPointer {
        precondition(file == nil, "a file's bytes are not in memory")
        return unsafe bytes(record.body)
    }

    /// The strong entity tag with its quotes.
    public var entityTag: UnsafeRawBufferPointer { unsafe slice(Int(record.tagOffset), Int(record.tagCount)) }

    private func slice(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes(record.fields)[start..<start + count])
    }

    private func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + Int(blob.offset), count: Int(blob.count))
    }
}

/// A landing page in the image: the fields of an answer, and a body with places where the link is inserted.
@safe public struct Landing {
    public let form: AnswerForm
    let segments: UnsafeBufferPointer<SegmentRecord>
    let base: UnsafeRawPointer

    public var segmentCount: Int { unsafe segments.count }

    public subscript(index: Int) -> (text: UnsafeRawBufferPointer, insertion: LinkInsertion) {
        let record = unsafe segments[index]
        let text = unsafe UnsafeRawBufferPointer(start: base + Int(record.text.offset), count: Int(record.text.count))
        return unsafe (text, LinkInsertion(rawValue: UInt8(record.insertion))!)
    }
}
