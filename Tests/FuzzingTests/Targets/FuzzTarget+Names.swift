// Answers of name servers: packets from any sender.

@testable import DNS

extension FuzzTarget {
    static let names = FuzzTarget(
        name: "names", summary: "answers of name servers, to questions for every type of record"
    ) { bytes in
        guard bytes.count >= 2, let name = DomainName("shop.example") else { return }
        for type in DNSRecordType.allCases {
            let question = DNSQuestion(type: type, name: name)
            let id = DNSMessage.number(bytes, 0)
            guard case .message(let message) = DNSMessage.read(bytes, id: id, question: question) else { continue }
            if let found = try? message.records(of: question, from: name) {
                try demand(found.aliases.count <= DNSLimits.aliasesMax, "\(found.aliases.count) aliases")
                try demand(found.records.count <= DNSLimits.recordsMax, "\(found.records.count) records")
            }
            let cut = DNSMessage.read(bytes.dropLast(), id: id, question: question)
            if case .message = cut { throw Complaint("a missing last byte is not noticed") }
        }
    }
}
