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
        let names = route.pattern.split(separator: "/").map { $0.prefix { $0 != ":" } }.filter {
            !$0.contains(where: \.isLowercase)
        }
        let path = names.map { name in
            SourceValue.object([
                ("name", .string(name.lowercased())), ("in", .string("path")), ("required", .bool(true)),
                ("schema", object("string", [("minLength", .integer(1))])),
            ])
        }
        let query = route.query.map { member in
            SourceValue.object([
                ("name", .string(member.name)), ("in", .string("query")), ("required", .bool(member.isRequired)),
                ("description", .string(member.help)), ("schema", member.kind.schema),
            ])
        }
        var members: [(String, SourceValue)] = [
            ("summary", .string(route.summary)),
            ("security", .array(route.scope.map { _ in [.object([("token", .array([]))])] } ?? [])),
            ("x-scope", route.scope.map { .string($0) } ?? .null), ("parameters", .array(path + query)),
        ]
        if let body = route.body, route.bodyBytesMax > 0 { members.append(("requestBody", requestBody(body))) }
        if route.body == nil, route.bodyBytesMax > 0 {
            members.append(
                (
                    "requestBody",
                    .object([
                        ("required", .bool(true)),
                        ("content", .object([("text/plain", .object([("schema", object("string", []))]))])),
                    ])
                ))
        }
        let good = route.statuses.filter { $0.rawValue < 300 }.map { status -> (String, SourceValue) in
            var answer: [(String, SourceValue)] = [("description", .string("\(status.reason)"))]
            let type = route.answersText ? "text/plain" : "application/json"
            if status != .noContent { answer.append(("content", .object([(type, .object([]))]))) }
            return ("\(status.rawValue)", .object(answer))
        }
        members.append(
            (
                "responses",
                .object(
                    good + [
                        (
                            "default",
                            .object([
                                ("description", .string("A problem")),
                                (
                                    "content",
                                    .object([
                                        (
                                            "application/problem+json",
                                            .object([
                                                ("schema", .object([("$ref", .string("#/components/schemas/Problem"))]))
                                            ])
                                        ),
                                        ("text/plain", .object([])),
                                    ])
                                ),
                            ])
                        )
                    ])
            ))
        return .object(members)
    }

    private static func requestBody(_ members: [APIMember]) -> SourceValue {
        let properties = members.map { member -> (String, SourceValue) in
            guard case .object(let schema) = member.kind.schema.kind else { return (member.name, member.kind.schema) }
            return (member.name, .object(schema.map { ($0.key, $0.value) } + [("description", .string(member.help))]))
        }
        let required = members.filter(\.isRequired).map { SourceValue.string($0.name) }
        return .object([
            ("required", .bool(true)),
            (
                "content",
                .object([
                    (
                        "application/json",
                        .object([
                            (
                                "schema",
                                object(
                                    "object",
                                    [
                                        ("properties", .object(properties)), ("required", .array(required)),
                                        ("additionalProperties", .bool(false)),
                                    ])
                            )
                        ])
                    )
                ])
            ),
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
