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

/// A folder of Sources. Its modules import those of itself and of the folders before it; the server's and the manager's never meet,
/// because they are two processes, which exchange files and requests.
enum Layer: String, CaseIterable {
    case system = "System"
    case formats = "Formats"
    case web = "Web"
    case server = "Server"
    case manager = "Manager"
    case program = "Program"

    func mayImport(_ other: Layer) -> Bool {
        if (self, other) == (.manager, .server) { return false }
        let order = Layer.allCases
        return order.firstIndex(of: other)! <= order.firstIndex(of: self)!
    }
}

/// One line of the table.
struct Module: Sendable, CustomTestStringConvertible {
    var name: String
    var layer: Layer
    var plane: Plane
    var mayImport: Set<String>

    init(_ name: String, in layer: Layer, _ plane: Plane, mayImport: Set<String>) {
        self.name = name
        self.layer = layer
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
        Module("Libc", in: .system, .data, mayImport: ["Darwin", "Glibc"]),
        Module("Posix", in: .system, .data, mayImport: ["CLinux", "CPosix", "Libc", "Synchronization"]),
        Module("TLS", in: .system, .data, mayImport: ["COpenSSL", "Posix", "Synchronization"]),
        Module("Tenancy", in: .formats, .pure, mayImport: []),
        Module("SourceJSON", in: .formats, .pure, mayImport: []),
        Module("Association", in: .formats, .pure, mayImport: ["SourceJSON"]),
        Module("AssociationLint", in: .formats, .pure, mayImport: ["Association", "SourceJSON"]),
        Module("AssociationImport", in: .formats, .pure, mayImport: ["Association", "AssociationLint", "SourceJSON"]),
        Module("AssociationSnippets", in: .formats, .pure, mayImport: ["Association", "SourceJSON"]),
        Module("QRCode", in: .formats, .pure, mayImport: []),
        Module("AppSigning", in: .formats, .pure, mayImport: ["TLS"]),
        Module("HTTP", in: .formats, .data, mayImport: ["Libc"]),
        Module(
            "Settings", in: .formats, .control,
            mayImport: ["Association", "SourceJSON", "HTTP", "TLS", "Posix", "Tenancy"]),
        Module("DNS", in: .web, .control, mayImport: ["CResolver", "Posix", "TLS"]),
        Module("Client", in: .web, .control, mayImport: ["TLS", "HTTP", "Posix", "CZlib"]),
        Module("ACME", in: .web, .pure, mayImport: ["SourceJSON", "TLS"]),
        Module("Service", in: .web, .control, mayImport: ["HTTP", "Posix", "Synchronization"]),
        Module("Certificates", in: .server, .data, mayImport: ["Posix", "TLS", "Tenancy", "Synchronization"]),
        Module("Catalogue", in: .server, .data, mayImport: ["HTTP", "Posix", "Synchronization"]),
        Module("Telemetry", in: .server, .data, mayImport: ["HTTP", "Posix", "Synchronization"]),
        Module(
            "Hosting", in: .server, .control,
            mayImport: [
                "Association", "AssociationLint", "SourceJSON", "Catalogue", "Certificates", "HTTP", "Settings", "TLS",
                "Posix", "Telemetry", "Tenancy", "CZlib", "Synchronization",
            ]),
        Module(
            "Engine", in: .server, .data,
            mayImport: ["Catalogue", "Posix", "TLS", "HTTP", "Telemetry", "Synchronization"]),
        Module("Database", in: .manager, .control, mayImport: ["CSQLite", "CPostgreSQL", "Glibc", "Posix"]),
        Module("Store", in: .manager, .control, mayImport: ["Database", "Posix", "TLS", "Synchronization"]),
        Module(
            "Verifier", in: .manager, .control,
            mayImport: [
                "Client", "TLS", "HTTP", "Posix", "Association", "AssociationLint", "SourceJSON", "Synchronization",
            ]),
        Module(
            "Issuance", in: .manager, .control,
            mayImport: [
                "ACME", "Client", "DNS", "Database", "HTTP", "Posix", "SourceJSON", "Store", "TLS", "Tenancy", "Glibc",
                "Synchronization",
            ]),
        Module(
            "Publishing", in: .manager, .control,
            mayImport: [
                "Association", "AssociationLint", "DNS", "Database", "HTTP", "Posix", "Service", "SourceJSON", "Store",
                "TLS", "Glibc", "Synchronization",
            ]),
        Module(
            "Delivery", in: .manager, .control,
            mayImport: [
                "Client", "DNS", "Database", "Posix", "SourceJSON", "Store", "TLS", "Verifier", "Synchronization",
            ]),
        Module(
            "Console", in: .manager, .control,
            mayImport: [
                "Association", "AssociationLint", "Database", "Delivery", "HTTP", "Issuance", "Posix", "Publishing",
                "QRCode", "Service", "SourceJSON", "Store", "TLS", "Tenancy", "Synchronization",
            ]),
        Module(
            "Administration", in: .program, .control,
            mayImport: [
                "Association", "Certificates", "Client", "Service", "TLS", "Telemetry", "HTTP", "Posix", "SourceJSON",
                "Tenancy", "Synchronization",
            ]),
        Module(
            "Supervision", in: .program, .control,
            mayImport: ["Association", "HTTP", "Posix", "Settings", "SourceJSON", "TLS", "Libc", "Synchronization"]),
        Module(
            "Serving", in: .program, .control,
            mayImport: [
                "Administration", "Association", "Catalogue", "Certificates", "Engine", "HTTP", "Hosting", "Posix",
                "Service", "Settings", "SourceJSON", "Supervision", "TLS", "Telemetry", "Tenancy", "Verifier", "Glibc",
                "Synchronization",
            ]),
        Module(
            "Management", in: .program, .control,
            mayImport: [
                "ACME", "Administration", "Association", "Client", "Console", "DNS", "Database", "Delivery", "HTTP",
                "Issuance",
                "Posix", "Publishing", "Service", "Settings", "SourceJSON", "Store", "Supervision", "TLS", "Telemetry",
                "Glibc", "Synchronization",
            ]),
        Module(
            "associated", in: .program, .control,
            mayImport: [
                "SourceJSON", "Association", "AssociationImport", "AssociationLint", "AssociationSnippets", "HTTP",
                "Posix", "TLS", "Catalogue", "Telemetry", "Hosting", "Client", "Verifier", "Administration", "ACME",
                "DNS", "Database", "Store", "Delivery", "Issuance", "Publishing", "Certificates", "Management",
                "QRCode", "Serving", "Settings", "Supervision", "AppSigning", "Libc", "Synchronization",
            ]),
    ]

    /// What comes with the toolchain, and so stands in no manifest.
    static let toolchain: Set<String> = ["Darwin", "Glibc", "Synchronization"]

    /// What other platforms do not have. The other modules import it only in their folders `Linux`.
    static let linuxOnly: Set<String> = [
        "CLinux", "CSQLite", "CPostgreSQL", "CResolver", "DNS", "ACME", "Service", "Engine", "Database", "Store",
        "Issuance", "Delivery", "Publishing", "Console", "Administration", "Serving", "Management",
    ]

    static func module(named name: String) -> Module? { modules.first { $0.name == name } }
}
