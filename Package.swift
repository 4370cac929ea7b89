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

/// The server needs Linux. Elsewhere the package has the commands of app engineers: it is without the modules of the server, and without
/// the folders `Linux` of the others. The variable asks for that on Linux, too (script/check-mac).
#if os(Linux)
    let hasServer = Context.environment["ASSOCIATED_COMMANDS_ONLY"] == nil
#else
    let hasServer = false
#endif

/// - Parameter linux: what its folder `Linux` needs; nil if it has none.
func module(_ name: String, in layer: String, _ dependencies: [String] = [], linux: [String]? = nil) -> Target {
    .target(
        name: name, dependencies: needs(dependencies, linux), path: "Sources/\(layer)/\(name)",
        exclude: linux == nil ? [] : excluded, swiftSettings: strict)
}

let excluded = hasServer ? [] : ["Linux"]

func needs(_ always: [String], _ linux: [String]?) -> [Target.Dependency] {
    (always + (hasServer ? linux ?? [] : [])).map { .byName(name: $0) }
}

func tests(_ module: String, in layer: String, _ more: Target.Dependency...) -> Target {
    .testTarget(
        name: "\(module)Tests", dependencies: [.byName(name: module)] + more, path: "Tests/\(layer)/\(module)Tests",
        swiftSettings: house)
}

/// What every platform has, from the bottom up.
let commands: [Target] = [
    .target(name: "CPosix", path: "Sources/System/CPosix"),
    .systemLibrary(
        name: "COpenSSL", path: "Sources/System/COpenSSL", pkgConfig: "openssl",
        providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(name: "CZlib", path: "Sources/System/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    .target(name: "Libc", path: "Sources/System/Libc", swiftSettings: house),
    module("Posix", in: "System", ["CPosix", "Libc"], linux: ["CLinux"]),
    module("TLS", in: "System", ["COpenSSL", "Posix"], linux: []),

    module("Tenancy", in: "Formats"),
    module("SourceJSON", in: "Formats"),
    module("Association", in: "Formats", ["SourceJSON"]),
    module("AssociationLint", in: "Formats", ["Association", "SourceJSON"]),
    module("AssociationImport", in: "Formats", ["Association", "AssociationLint", "SourceJSON"]),
    module("AssociationSnippets", in: "Formats", ["Association", "SourceJSON"]),
    module("QRCode", in: "Formats"),
    module("AppSigning", in: "Formats", ["TLS"]),
    module("HTTP", in: "Formats", ["Libc"]),
    module("Settings", in: "Formats", ["Association", "SourceJSON", "HTTP", "TLS", "Posix", "Tenancy"]),

    module("Client", in: "Web", ["TLS", "HTTP", "Posix", "CZlib"]),

    module("Certificates", in: "Server", ["Posix", "TLS", "Tenancy"], linux: []),
    module("Catalogue", in: "Server", ["HTTP", "Posix"]),
    module("Telemetry", in: "Server", ["HTTP", "Posix"]),
    module(
        "Hosting", in: "Server",
        [
            "Association", "AssociationLint", "SourceJSON", "Catalogue", "Certificates", "HTTP", "Settings", "TLS",
            "Posix", "Telemetry", "Tenancy", "CZlib",
        ], linux: []),

    module(
        "Verifier", in: "Manager",
        ["Client", "TLS", "HTTP", "Posix", "Association", "AssociationLint", "SourceJSON"]),

    module(
        "Supervision", in: "Program", ["Association", "HTTP", "Libc", "Posix", "Settings", "SourceJSON", "TLS"],
        linux: []),
    .executableTarget(
        name: "associated",
        dependencies: needs(
            [
                "SourceJSON", "Association", "AssociationImport", "AssociationLint", "AssociationSnippets", "HTTP",
                "Libc", "Posix", "TLS", "Catalogue", "Hosting", "Client", "Verifier", "Certificates", "QRCode",
                "Settings", "Supervision", "AppSigning",
            ],
            [
                "Administration", "ACME", "DNS", "Database", "Store", "Delivery", "Issuance", "Publishing",
                "Management", "Serving", "Telemetry",
            ]),
        path: "Sources/Program/associated", exclude: excluded, swiftSettings: strict),
]

/// The server and the manager, which need Linux.
let server: [Target] = [
    .target(name: "CLinux", dependencies: ["CPosix"], path: "Sources/System/CLinux"),
    .target(name: "CSQLite", path: "Sources/System/CSQLite"),
    .target(name: "CPostgreSQL", path: "Sources/System/CPostgreSQL"),
    .systemLibrary(name: "CResolver", path: "Sources/System/CResolver"),

    module("DNS", in: "Web", ["CResolver", "Posix", "TLS"]),
    module("ACME", in: "Web", ["SourceJSON", "TLS"]),
    module("Service", in: "Web", ["HTTP", "Posix"]),
    module("Engine", in: "Server", ["Catalogue", "Posix", "TLS", "HTTP", "Telemetry"]),
    module("Database", in: "Manager", ["CSQLite", "CPostgreSQL", "Posix"]),
    module("Store", in: "Manager", ["Database", "Posix", "TLS"]),
    module(
        "Issuance", in: "Manager",
        ["ACME", "Client", "DNS", "Database", "HTTP", "Posix", "SourceJSON", "Store", "TLS", "Tenancy"]),
    module(
        "Delivery", in: "Manager", ["Client", "DNS", "Database", "Posix", "SourceJSON", "Store", "TLS", "Verifier"]),
    module(
        "Publishing", in: "Manager",
        [
            "Association", "AssociationLint", "DNS", "Database", "HTTP", "Posix", "Service", "SourceJSON", "Store",
            "TLS",
        ]),
    module(
        "Console", in: "Manager",
        [
            "Association", "AssociationLint", "Database", "Delivery", "HTTP", "Issuance", "Posix", "Publishing",
            "QRCode", "Service", "SourceJSON", "Store", "TLS", "Tenancy",
        ]),
    module(
        "Administration", in: "Program",
        [
            "Association", "Certificates", "Client", "Service", "TLS", "Telemetry", "HTTP", "Posix", "SourceJSON",
            "Tenancy",
        ]),
    module(
        "Serving", in: "Program",
        [
            "Administration", "Association", "Catalogue", "Certificates", "Engine", "HTTP", "Hosting", "Posix",
            "Service", "Settings", "SourceJSON", "Supervision", "TLS", "Telemetry", "Tenancy", "Verifier",
        ]),
    module(
        "Management", in: "Program",
        [
            "ACME", "Administration", "Association", "Client", "Console", "DNS", "Database", "Delivery", "HTTP",
            "Issuance", "Posix", "Publishing", "Service", "Settings", "SourceJSON", "Store", "Supervision", "TLS",
            "Telemetry",
        ]),
]

let checks: [Target] = [
    .target(
        name: "TestSupport", dependencies: ["Certificates", "Posix", "SourceJSON", "TLS"],
        path: "Tests/TestSupport",
        swiftSettings: house),
    tests("Tenancy", in: "Formats"),
    tests("SourceJSON", in: "Formats"),
    .target(
        name: "AssociationSamples", dependencies: ["Association", "AssociationLint"],
        path: "Tests/Formats/AssociationSamples", swiftSettings: house),
    tests("Association", in: "Formats", "AssociationSamples", "SourceJSON", "TestSupport"),
    tests("AssociationLint", in: "Formats", "Association", "AssociationSamples", "SourceJSON", "TestSupport"),
    tests("AssociationImport", in: "Formats", "Association", "SourceJSON"),
    tests("AssociationSnippets", in: "Formats", "Association", "AssociationSamples"),
    tests("QRCode", in: "Formats"),
    tests("AppSigning", in: "Formats", "TLS"),
    tests("HTTP", in: "Formats"),
    tests("Posix", in: "System", "CLinux", "CPosix", "TestSupport"),
    .testTarget(
        name: "TLSSupport", dependencies: ["TLS", "TestSupport"], path: "Tests/System/TLSSupport",
        swiftSettings: house),
    tests("TLS", in: "System", "Posix", "TLSSupport", "Tenancy", "TestSupport"),
    tests("Certificates", in: "Server", "Posix", "TLS", "TLSSupport", "Tenancy", "TestSupport"),
    tests("Catalogue", in: "Server", "HTTP", "TestSupport"),
    tests(
        "Hosting", in: "Server", "Association", "AssociationLint", "Catalogue", "Certificates", "HTTP", "Posix",
        "Settings", "SourceJSON", "TLS", "Telemetry", "Tenancy", "TestSupport"),
    tests(
        "Settings", in: "Formats", "Association", "HTTP", "Posix", "SourceJSON", "TLS", "TestSupport"),
    tests("Telemetry", in: "Server", "HTTP", "Posix", "SourceJSON", "TestSupport"),
    tests("Engine", in: "Server", "Catalogue", "Certificates", "HTTP", "Posix", "TLS", "Telemetry", "TestSupport"),
    .testTarget(
        name: "DatabaseSupport", dependencies: ["Database", "Store", "TLS"], path: "Tests/Manager/DatabaseSupport",
        swiftSettings: house),
    tests("Database", in: "Manager", "DatabaseSupport", "Posix", "TestSupport"),
    .testTarget(
        name: "ACMESupport", dependencies: ["ACME", "HTTP", "Posix", "SourceJSON", "TLS", "TestSupport"],
        path: "Tests/Web/ACMESupport", swiftSettings: house),
    tests(
        "Issuance", in: "Manager", "ACME", "ACMESupport", "Client", "DNS", "DNSSupport", "Database",
        "DatabaseSupport", "Posix",
        "Store", "SourceJSON", "TLS", "TestSupport"),
    tests(
        "Delivery", in: "Manager", "Client", "Database", "DatabaseSupport", "Posix", "Store", "SourceJSON", "TLS",
        "TestSupport",
        "Verifier"),
    tests(
        "Publishing", in: "Manager", "DNS", "Database", "DatabaseSupport", "HTTP", "Posix",
        "Service", "SourceJSON", "Store", "TLS", "TestSupport"),
    tests(
        "Console", in: "Manager", "Database", "DatabaseSupport", "Delivery", "HTTP", "Issuance", "Posix",
        "Publishing", "Service", "SourceJSON", "Store", "TLS", "TestSupport"),
    tests("Store", in: "Manager", "Database", "DatabaseSupport", "Posix", "TLS", "TestSupport"),
    tests("Client", in: "Web", "Posix", "TLS", "TestSupport"),
    tests("ACME", in: "Web", "ACMESupport", "Client", "SourceJSON", "TLS", "TestSupport"),
    .testTarget(
        name: "DNSSupport", dependencies: ["DNS", "Posix", "TLS", "TestSupport"], path: "Tests/Web/DNSSupport",
        swiftSettings: house),
    tests("DNS", in: "Web", "DNSSupport", "Posix", "TestSupport"),
    tests(
        "Verifier", in: "Manager", "Association", "AssociationLint", "Client", "Posix", "SourceJSON", "TLS",
        "TestSupport"),
    tests("Service", in: "Web", "HTTP", "Posix", "TestSupport"),
    tests(
        "Administration", in: "Program", "Certificates", "HTTP", "Posix", "Service", "SourceJSON", "TLS",
        "Telemetry", "Tenancy",
        "TestSupport"),
    tests("Supervision", in: "Program", "Posix", "TestSupport"),
    tests("Serving", in: "Program", "Association", "Settings", "Supervision", "Tenancy", "TestSupport"),
    tests("Management", in: "Program", "Administration", "Delivery", "HTTP", "Posix", "TestSupport"),
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
]

let package = Package(
    name: "associated",
    platforms: [.macOS(.v26)],
    products: [
        .executable(name: "associated", targets: ["associated"]),
        .library(name: "Association", targets: ["Association", "SourceJSON"]),
        .library(name: "AssociationLint", targets: ["AssociationLint"]),
        .library(name: "HTTP", targets: ["HTTP"]),
    ],
    targets: commands + (hasServer ? server + checks : []),
    swiftLanguageModes: [.v6]
)
