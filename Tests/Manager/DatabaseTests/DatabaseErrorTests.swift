// Which failures end a program, and what messages call a database.

import Testing

@testable import Database

struct DatabaseErrorTests {
    @Test func `what an operator has to change lasts, everything else can be waited for`() {
        let waitedFor: Set<DatabaseError.Cause> = [
            .unreachable, .locked, .timedOut, .full, .inputOutput, .fileGone, .serializationFailure, .connectionLost,
            .commitUnknown,
            .constraint, .statement,
        ]
        for cause in DatabaseError.Cause.allCases {
            #expect(DatabaseError(cause, "").isLasting == !waitedFor.contains(cause), "\(cause)")
        }
    }

    @Test(arguments: DatabaseError.Cause.allCases) func `a message is one line`(cause: DatabaseError.Cause) {
        let text = DatabaseError(cause, "first\nsecond\tthird\r\n", location: "db.example:5432").description
        #expect(text.contains(" the database db.example:5432: first second third"))
        #expect(!text.contains { $0.isNewline })
    }

    @Test(arguments: [
        ("state/manager.db", "state/manager.db"), ("postgresql://tester:secret@db.example:5432/x", "db.example:5432"),
        ("postgres://tester:se%40cret@[::1]:5432", "[::1]:5432"),
        ("postgresql://tester@a:1,b:2/x?sslmode=require", "a:1,b:2"),
        ("postgresql://db.example/x", "postgresql"), ("postgresql:///x?password=secret", "postgresql"),
        ("postgresql://tester:secret@/x?host=/run", "postgresql"), ("postgresql://tester:12/secret@db.example/x", nil),
        ("postgresql://tester:12?secret@db.example/x", nil), ("postgresql://tester:12@secret@db.example/x", nil),
        ("postgresql://tester@db.example/x?password=sec@ret", nil),
    ])
    func `the name of a database has no part of the password`(text: String, name: String?) {
        #expect(DatabaseLocation(text).name == name)
    }
}
