// swift-tools-version: 6.2
// The modules and the doors between them, as docs/architecture.md draws them. HouseRulesTests checks that no source
// file imports more than this manifest and that table allow.
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// What the compiler cannot prove about memory is marked with `unsafe`. `SourceJSON` and `Association`, which read what
/// strangers write, have no such mark; docs/unsafe.md says which types of the others may.
let strict = house + [.strictMemorySafety()]

func tests(_ module: String, _ more: Target.Dependency...) -> Target {
    .testTarget(name: "\(module)Tests", dependencies: [.byName(name: module)] + more, swiftSettings: house)
}

let package = Package(
    name: "associated",
    products: [
        .executable(name: "associated", targets: ["associated"]),
        .library(name: "Association", targets: ["Association", "SourceJSON"]),
        .library(name: "AssociationLint", targets: ["AssociationLint"]),
        .library(name: "HTTP", targets: ["HTTP"]),
    ],
    targets: [
        .target(name: "CLinux"),
        .target(name: "CSQLite"),
        .target(name: "CPostgreSQL"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CResolver"),

        .target(name: "Tenancy", swiftSettings: strict),
        .target(name: "SourceJSON", swiftSettings: strict),
        .target(name: "Association", dependencies: ["SourceJSON"], swiftSettings: strict),
        .target(name: "AssociationLint", dependencies: ["Association", "SourceJSON"], swiftSettings: strict),
        .target(
            name: "AssociationImport", dependencies: ["Association", "AssociationLint", "SourceJSON"],
            swiftSettings: strict),
        .target(name: "HTTP", swiftSettings: strict),
        .target(name: "Posix", dependencies: ["CLinux"], swiftSettings: strict),
        .target(name: "TLS", dependencies: ["COpenSSL", "Posix"], swiftSettings: strict),
        .target(name: "Certificates", dependencies: ["Posix", "TLS", "Tenancy"], swiftSettings: strict),
        .target(name: "Catalogue", dependencies: ["HTTP", "Posix"], swiftSettings: strict),
        .target(name: "Telemetry", dependencies: ["HTTP", "Posix"], swiftSettings: strict),
        .target(
            name: "Settings",
            dependencies: ["Association", "SourceJSON", "HTTP", "TLS", "Posix", "Telemetry", "Tenancy"],
            swiftSettings: strict),
        .target(
            name: "Hosting",
            dependencies: [
                "Association", "AssociationLint", "SourceJSON", "Catalogue", "Certificates", "HTTP", "Settings", "TLS",
                "Posix", "Telemetry", "Tenancy", "CZlib",
            ],
            swiftSettings: strict),
        .target(
            name: "Engine", dependencies: ["Catalogue", "Posix", "TLS", "HTTP", "Telemetry"], swiftSettings: strict),
        .target(name: "Database", dependencies: ["CSQLite", "CPostgreSQL", "Posix"], swiftSettings: strict),
        .target(name: "Store", dependencies: ["Database", "Posix", "TLS"], swiftSettings: strict),
        .target(name: "DNS", dependencies: ["CResolver", "Posix", "TLS"], swiftSettings: strict),
        .target(
            name: "Client", dependencies: ["TLS", "HTTP", "Posix", "CZlib"], swiftSettings: strict),
        .target(name: "ACME", dependencies: ["SourceJSON", "TLS"], swiftSettings: strict),
        .target(
            name: "Verifier",
            dependencies: ["Client", "TLS", "HTTP", "Posix", "Association", "AssociationLint", "SourceJSON"],
            swiftSettings: strict),
        .target(
            name: "Issuance",
            dependencies: ["ACME", "Client", "DNS", "Database", "Posix", "SourceJSON", "Store", "TLS"],
            swiftSettings: strict),
        .target(
            name: "Delivery",
            dependencies: ["Client", "DNS", "Database", "Posix", "SourceJSON", "Store", "TLS", "Verifier"],
            swiftSettings: strict),
        .target(name: "Service", dependencies: ["HTTP", "Posix"], swiftSettings: strict),
        .target(
            name: "Administration",
            dependencies: [
                "Certificates", "Client", "Service", "TLS", "Telemetry", "HTTP", "Posix", "SourceJSON", "Tenancy",
            ],
            swiftSettings: strict),
        .target(
            name: "Supervision",
            dependencies: ["Association", "HTTP", "Posix", "Settings", "SourceJSON"], swiftSettings: strict),
        .executableTarget(
            name: "associated",
            dependencies: [
                "SourceJSON", "Association", "AssociationImport", "AssociationLint", "HTTP", "Posix", "TLS",
                "Catalogue", "Telemetry",
                "Certificates", "Hosting", "Engine", "Client", "Verifier", "Administration", "ACME", "DNS", "Database",
                "Delivery", "Issuance", "Store", "Service", "Settings", "Supervision", "Tenancy",
            ],
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["Certificates", "Posix", "TLS"], path: "Tests/TestSupport",
            swiftSettings: house),
        tests("Tenancy"),
        tests("SourceJSON"),
        .target(
            name: "AssociationSamples", dependencies: ["Association", "AssociationLint"],
            path: "Tests/AssociationSamples", swiftSettings: house),
        tests("Association", "AssociationSamples", "SourceJSON", "TestSupport"),
        tests("AssociationLint", "Association", "AssociationSamples", "SourceJSON", "TestSupport"),
        tests("AssociationImport", "Association", "SourceJSON"),
        tests("HTTP"),
        tests("Posix", "CLinux", "TestSupport"),
        .testTarget(
            name: "TLSSupport", dependencies: ["TLS", "TestSupport"], path: "Tests/TLSSupport", swiftSettings: house),
        tests("TLS", "Posix", "TLSSupport", "Tenancy", "TestSupport"),
        tests("Certificates", "Posix", "TLS", "TLSSupport", "Tenancy", "TestSupport"),
        tests("Catalogue", "HTTP", "TestSupport"),
        tests(
            "Hosting", "Association", "Catalogue", "Certificates", "HTTP", "Posix", "Settings", "SourceJSON", "TLS",
            "Telemetry", "Tenancy", "TestSupport"),
        tests(
            "Settings", "Association", "HTTP", "Posix", "SourceJSON", "TLS", "Telemetry", "TestSupport"),
        tests("Telemetry", "HTTP", "Posix", "SourceJSON", "TestSupport"),
        tests("Engine", "Catalogue", "Certificates", "HTTP", "Posix", "TLS", "Telemetry", "TestSupport"),
        .testTarget(
            name: "DatabaseSupport", dependencies: ["Database", "Store", "TLS"], path: "Tests/DatabaseSupport",
            swiftSettings: house),
        tests("Database", "DatabaseSupport", "Posix", "TestSupport"),
        .testTarget(
            name: "ACMESupport", dependencies: ["ACME", "HTTP", "Posix", "SourceJSON", "TLS", "TestSupport"],
            path: "Tests/ACMESupport", swiftSettings: house),
        tests(
            "Issuance", "ACME", "ACMESupport", "Client", "DNS", "DNSSupport", "Database", "DatabaseSupport", "Posix",
            "Store", "SourceJSON", "TLS", "TestSupport"),
        tests(
            "Delivery", "Client", "Database", "DatabaseSupport", "Posix", "Store", "SourceJSON", "TLS", "TestSupport",
            "Verifier"),
        tests("Store", "Database", "DatabaseSupport", "Posix", "TLS", "TestSupport"),
        tests("Client", "Posix", "TLS", "TestSupport"),
        tests("ACME", "ACMESupport", "Client", "SourceJSON", "TLS", "TestSupport"),
        .testTarget(
            name: "DNSSupport", dependencies: ["DNS", "Posix", "TLS", "TestSupport"], path: "Tests/DNSSupport",
            swiftSettings: house),
        tests("DNS", "DNSSupport", "Posix", "TestSupport"),
        tests(
            "Verifier", "Association", "AssociationLint", "Client", "Posix", "SourceJSON", "TLS", "TestSupport"),
        tests("Service", "HTTP", "Posix", "TestSupport"),
        tests(
            "Administration", "Certificates", "HTTP", "Posix", "Service", "SourceJSON", "TLS", "Telemetry", "Tenancy",
            "TestSupport"),
        tests("Supervision", "Posix", "TestSupport"),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "associated", "Administration", "Certificates", "Delivery", "Posix", "Settings", "SourceJSON",
                "Supervision", "TLS",
                "Tenancy", "TestSupport",
            ],
            swiftSettings: house),
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "ACME", "Association", "AssociationLint", "Catalogue", "Certificates", "Client", "DNS", "HTTP",
                "Hosting", "Posix", "SourceJSON", "TLS", "Verifier",
            ], swiftSettings: house),
        .testTarget(name: "HouseRulesTests", swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
