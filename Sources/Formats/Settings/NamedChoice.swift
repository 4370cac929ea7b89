// The settings whose value is one of a few words: the words are the cases of their types.

import HTTP
import Posix
import TLS

/// A value that is one of a few words.
protocol NamedChoice: CaseIterable, Sendable {
    var name: String { get }
}

extension NamedChoice {
    init?(named name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    static var names: [String] { allCases.map(\.name) }
}

extension NamedChoice where Self: RawRepresentable, RawValue == String {
    var name: String { rawValue }
}

extension TrustedProxies.Fields: NamedChoice {}
extension LogSelection.Only: NamedChoice {}
extension LogFormat: NamedChoice {}
extension ProcessLogSettings.Format: NamedChoice {}
extension ProcessLogSettings.Level: NamedChoice {}
extension SandboxSettings.Mode: NamedChoice {}
extension IssuanceSettings.Preflight: NamedChoice {}
extension IssuanceSettings.Challenge: NamedChoice {}
extension IssuanceSettings.UpdateSettings.Algorithm: NamedChoice {}
extension SigningKey.Kind: NamedChoice {}
