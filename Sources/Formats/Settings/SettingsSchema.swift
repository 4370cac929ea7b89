// `server.json` as a JSON Schema, for editors: the list of settings, in their objects. The reader checks what a schema cannot express.

public import SourceJSON

public enum SettingsSchema {
    public static var value: SourceValue {
        JSONSchema.object(Setting.sections.map { ($0, section($0)) }).document("Settings of associated (server.json)")
    }

    /// What the objects at the top of the file are about.
    static let objects = [
        "acme": "answers to ACME challenges, and certificates that the manager orders",
        "admin": "admin listener for health, metrics and status",
        "delivery": "watches which files Apple and Google have of each host; {} turns it on",
        "fronts": "trusted reverse proxies, and what they may say about clients",
        "limits": "bounds on clients, hosts and folders",
        "lint": "rules to leave out, and severities", "log": "access log and process log",
        "manager": "the manager process",
        "sandbox": "access to files and system calls after the start",
        "signing": "certificate for signed documents, in place of each host's own",
        "store": "database of the manager, and its key", "tls": "what holds for all TLS listeners",
    ]

    /// A key at the top of the file.
    private static func section(_ key: String) -> JSONSchema {
        let settings = Setting.all.filter { $0.section == key }
        if let whole = settings.first(where: { $0.key == key }) { return whole.schema }
        let properties = settings.map { ($0.name, $0.schema) }
        let required = settings.filter(\.isRequired).map(\.name)
        var object = JSONSchema.object(properties, objects[key], required: required)
        if key == "acme" { object = object.with("dependencies", agreement) }
        guard let short = settings.first(where: { $0.shorthand != .none }) else { return object }
        return .any(of: [short.schema, object], objects[key])
    }

    /// The keys about ordered certificates need the agreement.
    private static var agreement: SourceValue {
        let names = Setting.issuance.map(\.name).filter { $0 != "termsAgreed" }
        return .object(names.map { ($0, .array([.string("termsAgreed")])) })
    }
}
