// DeepLink+SwiftUI.swift: both kinds of link sent to one place, in SwiftUI. The scene delegate does the same in UIKit.

extension Snippet {
    static func swiftUIHandlers() -> String {
        """
        import Foundation
        import SwiftUI

        extension View {
            /// Sends universal links and links of the custom scheme to one place, whether the app runs or is started.
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
