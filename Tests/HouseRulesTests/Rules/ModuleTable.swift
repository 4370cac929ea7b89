// Which module may import which: the doors between the rooms, as data. docs/architecture.md shows the same table to
// people, Package.swift shows it to the compiler; tests hold the three together. The compiler alone is not enough, for
// it lets a file import whatever a dependency happens to depend on.

import Testing

/// Where a module stands, which decides the words it may not use.
enum Plane {
    /// Values in, values out: no files, no clock, no network.
    case pure
    /// Everything between two calls of `epoll_wait`.
    case data
    /// Loading, watching, command line.
    case control
}

/// One line of the table.
struct Module: Sendable, CustomTestStringConvertible {
    var name: String
    var plane: Plane
    var mayImport: Set<String>

    init(_ name: String, _ plane: Plane, mayImport: Set<String>) {
        self.name = name
        self.plane = plane
        self.mayImport = mayImport
    }

    var testDescription: String { name }

    /// Neither descriptors nor threads: it can be tested by calling it.
    var isValuesOnly: Bool { plane == .pure || name == "HTTP" }
}

/// The whole table, from the bottom up.
enum ModuleTable {
    static let modules = [
        Module("Tenancy", .pure, mayImport: []), Module("SourceJSON", .pure, mayImport: []),
        Module("Association", .pure, mayImport: ["SourceJSON"]),
        Module("AssociationLint", .pure, mayImport: ["Association", "SourceJSON"]),
        Module("AssociationImport", .pure, mayImport: ["Association", "AssociationLint", "SourceJSON"]),
        Module("HTTP", .data, mayImport: ["Glibc"]),
        Module("Posix", .data, mayImport: ["CLinux", "Glibc", "Synchronization"]),
        Module("TLS", .data, mayImport: ["COpenSSL", "Posix", "Synchronization"]),
        Module("Certificates", .data, mayImport: ["Posix", "TLS", "Tenancy", "Synchronization"]),
        Module("Catalogue", .data, mayImport: ["HTTP", "Posix", "Synchronization"]),
        Module("Telemetry", .data, mayImport: ["HTTP", "Posix", "Synchronization"]),
        Module(
            "Settings", .control,
            mayImport: ["Association", "SourceJSON", "HTTP", "TLS", "Posix", "Telemetry", "Tenancy"]),
        Module(
            "Hosting", .control,
            mayImport: [
                "Association", "AssociationLint", "SourceJSON", "Catalogue", "Certificates", "HTTP", "Settings", "TLS",
                "Posix", "Telemetry", "Tenancy", "CZlib", "Synchronization",
            ]),
        Module("Engine", .data, mayImport: ["Catalogue", "Posix", "TLS", "HTTP", "Telemetry", "Synchronization"]),
        Module("Database", .control, mayImport: ["CSQLite", "CPostgreSQL", "Glibc", "Posix"]),
        Module("Store", .control, mayImport: ["Database", "Posix", "TLS", "Synchronization"]),
        Module("DNS", .control, mayImport: ["CResolver", "Posix", "TLS"]),
        Module("Client", .control, mayImport: ["TLS", "HTTP", "Posix", "CZlib"]),
        Module("ACME", .pure, mayImport: ["SourceJSON", "TLS"]),
        Module(
            "Verifier", .control,
            mayImport: [
                "Client", "TLS", "HTTP", "Posix", "Association", "AssociationLint", "SourceJSON", "Synchronization",
            ]),
        Module(
            "Issuance", .control,
            mayImport: [
                "ACME", "Client", "DNS", "Database", "Posix", "SourceJSON", "Store", "TLS", "Glibc", "Synchronization",
            ]),
        Module(
            "Delivery", .control,
            mayImport: [
                "Client", "DNS", "Database", "Posix", "SourceJSON", "Store", "TLS", "Verifier", "Synchronization",
            ]),
        Module("Service", .control, mayImport: ["HTTP", "Posix", "Synchronization"]),
        Module(
            "Administration", .control,
            mayImport: [
                "Certificates", "Client", "Service", "TLS", "Telemetry", "HTTP", "Posix", "SourceJSON", "Tenancy",
                "Synchronization",
            ]),
        Module(
            "Supervision", .control,
            mayImport: ["Association", "HTTP", "Posix", "Settings", "SourceJSON", "Glibc", "Synchronization"]),
        Module(
            "associated", .control,
            mayImport: [
                "SourceJSON", "Association", "AssociationImport", "AssociationLint", "HTTP", "Posix", "TLS",
                "Catalogue", "Telemetry", "Hosting", "Engine", "Client", "Verifier", "Administration", "ACME", "DNS",
                "Database", "Store",
                "Delivery", "Issuance", "Certificates", "Service", "Settings", "Supervision", "Tenancy", "Glibc",
                "Synchronization",
            ]),
    ]

    /// What comes with the toolchain, and so stands in no manifest.
    static let toolchain: Set<String> = ["Glibc", "Synchronization"]

    static func module(named name: String) -> Module? { modules.first { $0.name == name } }
}
