// Whether a link target contains a path, by the path alone.

import Testing

@testable import Posix

struct LinkTargetsTests {
    @Test(arguments: [
        ("/a/b", "/a", true), ("/a", "/a", true), ("/ab", "/a", false), ("/", "/a", false), ("/a/b", "/", true),
        ("/a/b", "/b", false),
    ])
    func `a link target contains itself and everything below it`(path: String, place: String, isBeneath: Bool) {
        #expect(RealPath(path).isBeneath(RealPath(place)) == isBeneath)
    }

    @Test(arguments: [
        ("/t/..1/a", true), ("/t/..1/.x/a", true), ("/t/a", false), ("/t/b/a", false), ("/t/..1/b", false),
        ("/t/..1/b/a", false), ("/t/..1", false), ("/t", false), ("/u/..1/a", false), ("/t/..1/ab", false),
    ])
    func `recognizes a version of a folder by its name in a hidden folder`(path: String, isVersion: Bool) {
        #expect(RealPath(path).isVersion(of: "a", in: RealPath("/t")) == isVersion)
    }

    @Test func `adds link targets, and knows those of certbot`() {
        let sum = LinkTargets.certbot.adding(LinkTargets(["/srv/acme"]))
        #expect(sum.paths == ["/etc/letsencrypt/live", "/etc/letsencrypt/archive", "/srv/acme"])
        #expect(LinkTargets.none.paths.isEmpty)
    }
}
