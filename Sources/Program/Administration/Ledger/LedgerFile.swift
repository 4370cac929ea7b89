// The file format of the ledger: lines of readable text between a title and a last line with a checksum. A file that does not
// match the format exactly is ignored.

import Telemetry

/// The content of a ledger's file.
struct LedgerFile: Equatable {
    var beganSeconds: Int64
    var records: [String: [VerifierRecord]]

    static let name = "verifiers"
    /// More than the largest ledger needs.
    static let bytesMax = 128 * 1024 * 1024
    private static let title = "associated verifiers 2"
    /// The title of files without the networks of the clients, all of whose fetches are claimed.
    private static let earlierTitle = "associated verifiers 1"

    var bytes: [UInt8] {
        var text: [UInt8] = Array("\(LedgerFile.title) \(beganSeconds)\n".utf8)
        var count = 0
        for (host, records) in records.sorted(by: { $0.key < $1.key }) {
            let ordered = records.sorted { left, right in
                left.verifier == right.verifier
                    ? left.isConfirmed && !right.isConfirmed : left.verifier.rawValue < right.verifier.rawValue
            }
            for record in ordered {
                text += LedgerFile.line(host, record).utf8
                count += 1
            }
        }
        return text + LedgerFile.end(of: text[...], lineCount: count)
    }

    static func end(of body: ArraySlice<UInt8>, lineCount: Int) -> [UInt8] {
        Array("end \(lineCount) \(checksum(body))\n".utf8)
    }

    private static func line(_ host: String, _ record: VerifierRecord) -> String {
        let tag = record.entityTag.flatMap { tag in
            tag.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && !tag.isEmpty ? tag : nil
        }
        let source = "\(record.isConfirmed ? LedgerFile.confirmed : LedgerFile.claimed)\t\(record.network ?? "-")"
        return "\(host)\t\(record.verifier.label)\t\(record.document.label)\t\(record.firstSeconds)\t"
            + "\(record.lastSeconds)\t\(record.status)\t\(record.count)\t\(tag ?? "-")\t\(source)\n"
    }

    private static let confirmed = "confirmed"
    private static let claimed = "claimed"
}

extension LedgerFile {
    /// Nil if the file is incomplete or damaged.
    init?(_ bytes: [UInt8]) {
        guard bytes.last == 0x0A, let before = bytes.dropLast().lastIndex(of: 0x0A) else { return nil }
        let body = bytes[...before]
        let end = bytes[(before + 1)...].dropLast().split(separator: 0x20, omittingEmptySubsequences: false)
        let lines = body.dropLast().split(separator: 0x0A, omittingEmptySubsequences: false)
        guard end.count == 3, LedgerFile.text(end[0]) == "end", Int(LedgerFile.text(end[1])) == lines.count - 1,
            LedgerFile.text(end[2]) == LedgerFile.checksum(body), let first = lines.first
        else { return nil }
        let title = LedgerFile.text(first)
        let isEarlier = title.hasPrefix("\(LedgerFile.earlierTitle) ")
        guard isEarlier || title.hasPrefix("\(LedgerFile.title) "),
            let began = Int64(title.dropFirst(LedgerFile.title.count + 1))
        else { return nil }
        self.init(beganSeconds: began, records: [:])
        for line in lines.dropFirst() {
            guard let (host, record) = LedgerFile.record(line, isEarlier: isEarlier),
                records[host]?.contains(where: { $0.isOfSameSource(as: record) }) != true
            else { return nil }
            records[host, default: []].append(record)
        }
    }

    private static func record(_ line: ArraySlice<UInt8>, isEarlier: Bool) -> (host: String, VerifierRecord)? {
        let fields = line.split(separator: 0x09, omittingEmptySubsequences: false)
        guard fields.count == (isEarlier ? 8 : 10), !fields[0].isEmpty,
            let verifier = VerifierKind.known.first(where: { $0.label.utf8.elementsEqual(fields[1]) }),
            let document = RequestedDocument.allCases.first(where: { $0.label.utf8.elementsEqual(fields[2]) }),
            let first = number(fields[3], as: Int64.self), let last = number(fields[4], as: Int64.self), first <= last,
            let status = number(fields[5], as: UInt16.self), let count = number(fields[6], as: UInt64.self), count > 0,
            let mark = fields[7].first
        else { return nil }
        var record = VerifierRecord(
            verifier: verifier, document: document, status: status,
            entityTag: mark == UInt8(ascii: "-") ? nil : text(fields[7]), firstSeconds: first, lastSeconds: last,
            count: count)
        if !isEarlier {
            let source = text(fields[8])
            guard [confirmed, claimed].contains(source), let mark = fields[9].first else { return nil }
            record.isConfirmed = source == confirmed
            record.network = mark == UInt8(ascii: "-") ? nil : text(fields[9])
        }
        return (text(fields[0]), record)
    }

    /// Only digits. Written by hand because there are four numbers in a line, and a hundred thousand lines.
    private static func number<Number: FixedWidthInteger>(_ digits: ArraySlice<UInt8>, as: Number.Type) -> Number? {
        if digits.isEmpty { return nil }
        var number: Number = 0
        for digit in digits {
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            guard digit &- 0x30 < 10, !overflows else { return nil }
            let (sum, overflowsToo) = tens.addingReportingOverflow(Number(digit &- 0x30))
            guard !overflowsToo else { return nil }
            number = sum
        }
        return number
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    /// FNV-1a of 64 bits: it detects damage, not deliberate changes.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let text = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
