// Who reads assetlinks.json. The three differ in what they forgive, so a finding and a verdict name them.

/// A reader of statement lists.
public enum StatementConsumer: String, Hashable, Sendable, CaseIterable {
    /// Google's Digital Asset Links service, which Play services and credential sharing ask.
    case google
    /// The StatementService of Android's open source, on the device.
    case aosp
    /// Chromium, for Trusted Web Activities and related apps.
    case chromium

    /// As it is called in sentences.
    public var name: String {
        switch self {
        case .google: "Google"
        case .aosp: "AOSP"
        case .chromium: "Chromium"
        }
    }
}
