// What a reader finds in the catalogue for a link whose app is not installed: a page with places for the link.

/// A landing page in the image: fields as of any answer, and a body with places for the link.
public struct Landing {
    public let form: AnswerForm
    let segments: UnsafeBufferPointer<SegmentRecord>
    let base: UnsafeRawPointer

    public var segmentCount: Int { segments.count }

    public subscript(index: Int) -> (text: UnsafeRawBufferPointer, insertion: LinkInsertion) {
        let record = segments[index]
        let text = UnsafeRawBufferPointer(start: base + Int(record.text.offset), count: Int(record.text.count))
        return (text, LinkInsertion(rawValue: UInt8(record.insertion))!)
    }
}
