// The OpenAPI 3.1 document, made from the routes.

import HTTP
import Service
import SourceJSON

enum OpenAPI {
    static func document(_ routes: [APIRoute]) -> SourceValue {
        let paths = Dictionary(grouping: routes, by: \.pattern).sorted { $0.key < $1.key }.map { pattern, routes in
            (
                PublishingAPI.base + template(pattern),
                SourceValue.object(
                    routes.map { ("\($0.method)".lowercased(), operation($0)) })
            )
        }
        return .object([
            ("openapi", .string("3.1.0")),
            (
                "info",
                .object([
                    ("title", .string("associated: publishing")), ("version", .string("1")),
                    ("description", .string("Releases of app files, host claims, tokens and the audit log.")),
                ])
            ),
            ("paths", .object(paths)),
            (
                "components",
                .object([
                    ("securitySchemes", .object([("token", object("http", [("scheme", .string("bearer"))]))])),
                    ("schemas", .object([("Problem", problem)])),
                ])
            ),
        ])
    }

    /// `/tenants/TENANT` as `/tenants/{tenant}`.
    static func template(_ pattern: String) -> String {
        pattern.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let name = segment.prefix { $0 != ":" }
            if name.isEmpty || name.contains(where: \.isLowercase) { return String(segment) }
            return "{\(name.lowercased())}\(segment[name.endIndex...])"
        }.joined(separator: "/")
    }

    private static func object(_ type: String, _ members: [(String, SourceValue)]) -> SourceValue {
        .object([("type", .string(type))] + members)
    }

    private static func operation(_ route: APIRoute) -> SourceValue {
        func parameters(_ members: [APIMember], in place: String) -> [SourceValue] {
            members.map { member in
                .object([
                    ("name", .string(member.name)), ("in", .string(place)), ("required", .bool(member.isRequired)),
                    ("description", .string(member.help.isEmpty ? member.kind.inWords : member.help)),
                    ("schema", member.kind.schema()),
                ])
            }
        }
        let all =
            parameters(route.segments, in: "path") + parameters(route.query, in: "query")
            + parameters(route.fields, in: "header")
        var members: [(String, SourceValue)] = [
            ("summary", .string(route.summary)),
            ("security", .array(route.scope.map { _ in [.object([("token", .array([]))])] } ?? [])),
            ("x-scope", route.scope.map { .string($0) } ?? .null), ("parameters", .array(all)),
        ]
        if route.bodyBytesMax > 0 {
            let (type, schema) =
                route.body.map { (ServiceResponse.json, object($0)) } ?? ("text/plain", object("string", []))
            members.append(
                (
                    "requestBody",
                    .object([
                        ("required", .bool(route.body?.contains(where: \.isRequired) ?? true)),
                        ("content", content([(type, schema)])),
                    ])
                ))
        }
        members.append(("responses", responses(route)))
        return .object(members)
    }

    private static func content(_ types: [(String, SourceValue)]) -> SourceValue {
        .object(types.map { type, schema in (type, .object([("schema", schema)])) })
    }

    /// What any route may answer, and what this one may.
    private static func responses(_ route: APIRoute) -> SourceValue {
        var good: [(String, SourceValue)] = []
        switch route.answer {
        case .nothing: break
        case .text: good = [("text/plain", object("string", []))]
        case .json: good = [(ServiceResponse.json, object("object", []))]
        case .members(let text): good = [(ServiceResponse.json, object(text))]
        case .page(let text):
            let items = object("array", [("items", object(text))])
            let next = SourceValue.object([("type", .array([.string("string"), .string("null")]))])
            good = [
                (
                    ServiceResponse.json,
                    object(
                        "object",
                        [
                            ("properties", .object([("items", items), ("next", next)])),
                            ("required", .array([.string("items"), .string("next")])),
                        ])
                )
            ]
        }
        var kinds = route.problems + [.invalid, .forbidden, .unknown, .database]
        if route.isWrite { kinds.append(.tooMany) }
        var statuses = Set(kinds.map(\.status.rawValue)).union([Status.unauthorized, .uriTooLong].map(\.rawValue))
        if route.bodyBytesMax > 0 {
            statuses.formUnion([Status.contentTooLarge, .unsupportedMediaType].map(\.rawValue))
        }
        // Those of the listener are lines for people.
        let problems = content([
            ("application/problem+json", .object([("$ref", .string("#/components/schemas/Problem"))])),
            ("text/plain", object("string", [])),
        ])
        return .object(
            route.statuses.map { status in
                let answer: [(String, SourceValue)] = [("description", .string("\(status.reason)"))]
                return ("\(status.rawValue)", .object(answer + (good.isEmpty ? [] : [("content", content(good))])))
            }
                + statuses.sorted().map { status in
                    let titles = Set(kinds.filter { $0.status.rawValue == status }.map(\.help.title)).sorted()
                    let description = titles.isEmpty ? "The request was refused" : titles.joined(separator: "; or: ")
                    return ("\(status)", .object([("description", .string(description)), ("content", problems)]))
                })
    }

    /// An object with members as in `APIRoute.Answer`.
    private static func object(_ text: String) -> SourceValue {
        let members = text.split(separator: ", ").map { member -> (String, SourceValue) in
            let words = member.split(separator: ": ")
            let (kind, isNullable) = (words[1].prefix { $0 != "?" }, words[1].hasSuffix("?"))
            let type = SourceValue.string(kind == "text" || kind == "time" ? "string" : String(kind))
            let format: [(String, SourceValue)] = kind == "time" ? [("format", .string("date-time"))] : []
            return (
                String(words[0]), .object([("type", isNullable ? .array([type, .string("null")]) : type)] + format)
            )
        }
        return object(
            "object",
            [("properties", .object(members)), ("required", .array(members.map { .string($0.0) }))])
    }

    /// A body of JSON.
    private static func object(_ members: [APIMember]) -> SourceValue {
        let properties = members.map { member -> (String, SourceValue) in
            let schema = member.schema.asObject?.map { ($0.key, $0.value) } ?? []
            return (member.name, .object(schema + [("description", .string(member.help))]))
        }
        return object(
            "object",
            [
                ("properties", .object(properties)),
                ("required", .array(members.filter(\.isRequired).map { .string($0.name) })),
                ("additionalProperties", .bool(false)),
            ])
    }

    private static var problem: SourceValue {
        let text = object("string", [])
        return object(
            "object",
            [
                (
                    "properties",
                    .object([
                        ("type", text), ("title", text), ("status", object("integer", [])), ("detail", text),
                        ("findings", object("array", [])),
                    ])
                ), ("required", .array(["type", "title", "status", "detail"].map { .string($0) })),
            ])
    }
}
