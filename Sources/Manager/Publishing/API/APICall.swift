// One request to the API, read by the description of its route: parameters of the path and the query, and the members of the body. The
// same description is in the OpenAPI document, so what is accepted and what is documented cannot differ.

import HTTP
import Service
import SourceJSON

struct APICall {
    let request: ServiceRequest
    private let body: SourceValue?
    private let query: [String: String]

    init(_ request: ServiceRequest, _ route: APIRoute) throws(APIProblem) {
        self.request = request
        for (segment, text) in zip(route.segments, request.parameters) {
            try APICall.check(segment.kind.allows(text), segment)
        }
        query = try APICall.query(request.query, route.query)
        guard let members = route.body else {
            body = nil
            return
        }
        let text = request.body.isEmpty ? Array("{}".utf8) : request.body
        let document = SourceReader.read(
            text, as: .json, limits: SourceLimits(depth: 16, bytes: PublishingAPI.bodyBytesMax))
        if let problem = document.problems.first {
            throw APIProblem(.invalid, "the body is not JSON: line \(problem.range.start.line): \(problem.message)")
        }
        guard let value = document.value, let object = value.asObject else {
            throw APIProblem(.invalid, "the body must be an object")
        }
        for member in object where !members.contains(where: { $0.name == member.key }) {
            throw APIProblem(.invalid, "unknown member \(SourceWriter.quoted(String(member.key.prefix(100))))")
        }
        for member in members {
            guard let found = value.member(named: member.name) else {
                if member.isRequired { throw APIProblem(.invalid, "the member \(member.name) is missing") }
                continue
            }
            if case .null = found.kind, !member.isRequired { continue }
            try APICall.check(member.kind.allows(found), member)
        }
        body = value
    }

    private static func check(_ isAllowed: Bool, _ member: APIMember) throws(APIProblem) {
        if !isAllowed { throw APIProblem(.invalid, "\(member.name) must be \(member.kind.inWords)") }
    }

    static func query(_ text: String?, _ parameters: [APIMember]) throws(APIProblem) -> [String: String] {
        var query: [String: String] = [:]
        for part in (text ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = pair[0].unescaped(plus: 0x20),
                let value = (pair.dropFirst().first ?? "").unescaped(plus: 0x20),
                let parameter = parameters.first(where: { $0.name == name }), query[name] == nil
            else { throw APIProblem(.invalid, "unknown or repeated parameter \(pair[0].prefix(100))") }
            try check(parameter.kind.allows(value), parameter)
            query[name] = value
        }
        for parameter in parameters where parameter.isRequired && query[parameter.name] == nil {
            throw APIProblem(.invalid, "the parameter \(parameter.name) is missing")
        }
        return query
    }

    var identity: Identity { request.identity ?? Identity("nobody", []) }

    func text(_ name: String) -> String? { query[name] ?? body?.member(named: name)?.asString }
    func integer(_ name: String) -> Int64? {
        query[name].flatMap { Int64($0) } ?? body?.member(named: name)?.asInt.map { Int64($0) }
    }
    /// The number in the path.
    func number(_ index: Int) -> Int64 { Int64(request.parameters[index]) ?? 0 }
    func flag(_ name: String) -> Bool? { body?.member(named: name)?.asBool }
    func bool(_ name: String) -> Bool { body?.member(named: name)?.asBool ?? false }
    func texts(_ name: String) -> [String]? { body?.member(named: name)?.asArray?.compactMap(\.asString) }
    func time(_ name: String) -> Int64? { text(name).flatMap(APITime.milliseconds) }

    /// The new text of each file.
    func changes(_ name: String) throws(APIProblem) -> [String: [UInt8]?] {
        var changes: [String: [UInt8]?] = [:]
        for member in body?.member(named: name)?.asObject ?? [] {
            switch member.value.kind {
            case .null: changes[try APICall.fileName(member.key)] = .some(nil)
            case .string(let text):
                changes[try APICall.fileName(member.key)] = try APICall.file(Array(text.utf8), member.key)
            default:
                throw APIProblem(.invalid, "\(name).\(member.key.prefix(100)) must be the text of the file, or null")
            }
        }
        if changes.count > ReleaseContent.filesMax {
            throw APIProblem(.tooLarge, "a release has at most \(ReleaseContent.filesMax) changes")
        }
        return changes
    }

    static func file(_ bytes: [UInt8], _ name: String) throws(APIProblem) -> [UInt8] {
        if bytes.count <= ReleaseContent.fileBytesMax { return bytes }
        throw APIProblem(
            .tooLarge, "\(name) has \(bytes.count) bytes, and a file may have \(ReleaseContent.fileBytesMax)")
    }

    static func fileName(_ name: String) throws(APIProblem) -> String {
        if ReleaseContent.isName(name) { return name }
        throw APIProblem(
            .invalid,
            "\(SourceWriter.quoted(String(name.prefix(100)))) cannot be the name of an app file; it must be "
                + APIKind.name(.file).inWords)
    }
}
