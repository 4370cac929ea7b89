// The connections and handshakes that the server refused in the last minute. The counters of the metrics have no names; this has the one that matters
// most in a flood.

import SourceJSON

public struct RefusalFigures: Sendable, Equatable {
    /// Connections that were refused because their network had too many.
    public var connections = 0
    /// The network that was refused most, and how often; nil where none was.
    public var network: String?
    public var ofNetwork = 0
    /// Handshakes that took too long.
    public var handshakes = 0

    /// On any day some clients do not finish a handshake; one a second is a network in trouble or a flood.
    static let handshakesUsual = 60

    public init() {}

    /// What an operator should read in the log; nil where it is nothing out of the ordinary.
    public var warning: String? { connections > 0 || handshakes > RefusalFigures.handshakesUsual ? text : nil }

    /// In one line; nil where none was refused.
    var text: String? {
        var parts: [String] = []
        if connections > 0 {
            let most = network.map { ", most of them from \($0) (\(ofNetwork))" } ?? ""
            parts.append("\(count(connections, "connection")) refused because a network had too many\(most)")
        }
        if handshakes > 0 { parts.append("\(count(handshakes, "handshake")) timed out") }
        return parts.isEmpty ? nil : "in the last minute: \(parts.joined(separator: "; "))"
    }

    private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}

extension RefusalFigures {
    var value: SourceValue {
        .object([
            ("connections", .integer(connections)), ("network", network.map { .string($0) } ?? .null),
            ("ofNetwork", .integer(ofNetwork)), ("timedOutHandshakes", .integer(handshakes)),
        ])
    }

    /// A server of an earlier version tells nothing of it.
    init(_ value: SourceValue?) {
        connections = value?.number("connections") ?? 0
        network = value?.text("network")
        ofNetwork = value?.number("ofNetwork") ?? 0
        handshakes = value?.number("timedOutHandshakes") ?? 0
    }
}
