// DeepLink+SwiftUI.swift: one handler for both kinds of link in SwiftUI. The scene delegate does the same in UIKit.

extension Snippet {
    static func swiftUIHandlers() -> String {
        """
        import Foundation
        import SwiftUI

        extension View {
            /// Passes universal links and links of the custom scheme to one handler, on a cold start and while the app runs.
            func onDeepLink(perform open: @escaping (DeepLink) -> Void) -> some View {
                onOpenURL { url in
                    if let link = DeepLink(url) { open(link) }
                }
                .onContinueUserActivity(NSUserActivityTypeBrowsingWeb) { activity in
                    if let url = activity.webpageURL, let link = DeepLink(url) { open(link) }
                }
            }
        }

        """
    }
}
