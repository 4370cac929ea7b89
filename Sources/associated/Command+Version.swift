// `associated version`

import TLS

extension Command {
    static let version = Command(
        name: "version", summary: "print the version",
        details: "Prints the version of associated and of the TLS library that it runs with.", options: []
    ) { _ in
        Console.output("associated \(Product.version) (\(Library.version))\n")
        return .success
    }
}

/// What the program is called and how old it is.
enum Product {
    static let version = "0.1.0"
}
