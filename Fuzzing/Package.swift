// swift-tools-version: 6.2
// The fuzzers: the project's own modules and the entry points of a fuzzing engine, in one program. A package of its own,
// because instrumentation is for a whole build (`--sanitize fuzzer`); the sources are the same files, by way of links that
// script/fuzz makes. Built and run by it; the targets are also compiled into the project's tests, which replay what was found.
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // The targets look behind the modules' doors, as tests do.
    .unsafeFlags(["-enable-testing"]),
]

let package = Package(
    name: "fuzzing",
    targets: [
        .target(name: "CPosix"),
        .target(name: "CLinux", dependencies: ["CPosix"]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CResolver"),
        .target(name: "Tenancy", swiftSettings: house),
        .target(name: "SourceJSON", swiftSettings: house),
        .target(name: "Association", dependencies: ["SourceJSON"], swiftSettings: house),
        .target(name: "AssociationLint", dependencies: ["Association", "SourceJSON"], swiftSettings: house),
        .target(name: "HTTP", dependencies: ["Libc"], swiftSettings: house),
        .target(name: "Libc", swiftSettings: house),
        .target(name: "Posix", dependencies: ["CLinux", "CPosix", "Libc"], swiftSettings: house),
        .target(name: "TLS", dependencies: ["COpenSSL", "Posix"], swiftSettings: house),
        .target(name: "Certificates", dependencies: ["Posix", "TLS", "Tenancy"], swiftSettings: house),
        .target(name: "Catalogue", dependencies: ["HTTP", "Posix"], swiftSettings: house),
        .target(name: "Telemetry", dependencies: ["HTTP", "Posix"], swiftSettings: house),
        .target(
            name: "Settings",
            dependencies: ["Association", "SourceJSON", "HTTP", "TLS", "Posix", "Tenancy"],
            swiftSettings: house),
        .target(
            name: "Hosting",
            dependencies: [
                "Association", "AssociationLint", "SourceJSON", "Catalogue", "Certificates", "HTTP", "Settings", "TLS",
                "Posix",
                "Telemetry", "Tenancy", "CZlib",
            ],
            swiftSettings: house),
        .target(name: "DNS", dependencies: ["CResolver", "Posix", "TLS"], swiftSettings: house),
        .target(
            name: "Client", dependencies: ["TLS", "HTTP", "Posix", "CZlib"], swiftSettings: house),
        .target(name: "ACME", dependencies: ["SourceJSON", "TLS"], swiftSettings: house),
        .target(
            name: "Verifier",
            dependencies: ["Client", "TLS", "HTTP", "Posix", "Association", "AssociationLint", "SourceJSON"],
            swiftSettings: house),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "ACME", "SourceJSON", "Association", "AssociationLint", "HTTP", "Posix", "TLS", "Catalogue", "Client",
                "DNS",
                "Hosting", "Verifier",
            ],
            swiftSettings: house),
        .executableTarget(name: "fuzz", dependencies: ["FuzzTargets"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
