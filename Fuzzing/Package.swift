// swift-tools-version: 6.2
// The fuzzers: the project's own modules, instrumented for libFuzzer, with one program that feeds them. A package of its
// own, because instrumentation is for the whole of a module; the sources are the same files, by way of links that script/fuzz
// makes. Built and run by it; the targets themselves are also compiled into the project's tests, which replay what was found.
import PackageDescription

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // The targets look behind the modules' doors, as tests do.
    .unsafeFlags(["-enable-testing"]),
]

/// Counts which edges of the code a run takes, and tells libFuzzer what values are compared.
let instrumented = house + [.unsafeFlags(["-sanitize=fuzzer"])]

let package = Package(
    name: "fuzzing",
    targets: [
        .target(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "SourceJSON", swiftSettings: instrumented),
        .target(name: "Association", dependencies: ["SourceJSON"], swiftSettings: instrumented),
        .target(name: "HTTP", swiftSettings: instrumented),
        .target(name: "Posix", dependencies: ["CLinux"], swiftSettings: instrumented),
        .target(name: "TLS", dependencies: ["COpenSSL", "Posix"], swiftSettings: instrumented),
        .target(name: "Catalogue", dependencies: ["HTTP", "Posix"], swiftSettings: instrumented),
        .target(
            name: "Hosting",
            dependencies: ["Association", "SourceJSON", "Catalogue", "HTTP", "TLS", "Posix", "CZlib"],
            swiftSettings: instrumented),
        .target(
            name: "Verifier", dependencies: ["TLS", "HTTP", "Posix", "Association", "SourceJSON", "CZlib"],
            swiftSettings: instrumented),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "SourceJSON", "Association", "HTTP", "Posix", "TLS", "Catalogue", "Hosting", "Verifier",
            ],
            swiftSettings: house),
        .target(name: "CLibFuzzer"),
        .executableTarget(name: "fuzz", dependencies: ["FuzzTargets", "CLibFuzzer"], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
