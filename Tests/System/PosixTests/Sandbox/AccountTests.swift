// The user that `--user` names.

import Posix
import Testing

struct AccountTests {
    @Test(
        arguments: [
            ("65532", 65532, 65532), ("65532:100", 65532, 100), ("0", 0, 0), ("root", 0, 0), ("root:5", 0, 5),
            ("4294967294:1", 4_294_967_294, 1),
        ] as [(String, UInt32, UInt32)])
    func `accepts a user's name or number`(text: String, user: UInt32, group: UInt32) throws {
        let account = try Account(text)
        #expect(account.user == user && account.group == group && account.description == text)
        #expect(account.groups.contains(group))
    }

    @Test(arguments: [
        "", ":", ":5", "no such user", "4294967295", "-1", "65532:", "65532:no such group", "65532:4294967295", "1:2:3",
    ])
    func `refuses anything else`(text: String) {
        #expect(throws: Account.Problem.self) { try Account(text) }
    }
}
