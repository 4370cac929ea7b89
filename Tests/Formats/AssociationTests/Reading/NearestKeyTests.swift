import Testing

@testable import Association

@Suite struct NearestKeyTests {
    static let keys = ["applinks", "webcredentials", "appclips", "activitycontinuation", "exclude", "/", "?", "#"]

    @Test(arguments: [
        ("applink", "applinks"), ("webCredentials", "webcredentials"), ("app_clips", "appclips"),
        ("Exclude", "exclude"),
        ("exlcude", "exclude"), ("activityContinuations", "activitycontinuation"),
    ])
    func `finds the intended key`(typed: String, known: String) {
        #expect(NearestKey.find(typed, among: Self.keys) == known)
    }

    @Test(arguments: ["", "x", "messages", "path", String(repeating: "applinks", count: 100)])
    func `finds no key if none is near`(typed: String) { #expect(NearestKey.find(typed, among: Self.keys) == nil) }
}
