// swift-tools-version: 6.2
// The benchmark's own client, apart from the server's package so that nothing of it is shipped.
import PackageDescription

let package = Package(
    name: "load",
    targets: [
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .executableTarget(name: "load", dependencies: ["COpenSSL"]),
    ],
    swiftLanguageModes: [.v6]
)
