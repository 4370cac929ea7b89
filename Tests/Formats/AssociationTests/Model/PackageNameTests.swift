import AssociationSamples
import Testing

@testable import Association

@Suite struct PackageNameTests {
    @Test(arguments: ["com.acme", "com.acme.shop_2", "io.Acme.app", "a.b"])
    func `accepts an application id`(text: String) {
        #expect(PackageName.problems(in: text).isEmpty)
    }

    @Test(arguments: [
        "", "acme", "com..acme", "com.acme.", ".com.acme", "com.2acme", "com._acme", "com.acme-shop", "com.acme.*",
        "com.acme shop", " com.acme", "com.acme/.Main", "com.ácme",
    ])
    func `rejects an invalid package name`(text: String) {
        #expect(PackageName.problems(in: text).rules == [.dal009])
        #expect(PackageName.problems(in: text).map(\.severity) == [.error])
    }

    @Test(arguments: [("com.acme shop", "a space"), ("com.acme-shop", "`-`")])
    func `names the character that is not allowed`(text: String, name: String) {
        #expect(
            PackageName.problems(in: text).map(\.message)
                == ["package name `\(text)` has \(name), which an application id cannot have"])
    }

    @Test(arguments: ["com.example", "com.example.app", "com.yourcompany.yourapp"])
    func `warns about names from documentation`(text: String) {
        #expect(PackageName.problems(in: text).rules == [.dal013])
    }
}
