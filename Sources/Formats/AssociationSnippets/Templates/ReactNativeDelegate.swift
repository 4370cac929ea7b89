// AppDelegate+Links.swift: passes links to React Native.

extension Snippet {
    static func reactNativeDelegate() -> String {
        """
        import React
        import UIKit

        /// Passes links to React Native's Linking.
        extension AppDelegate {
            func application(
                _ app: UIApplication, open url: URL, options: [UIApplication.OpenURLOptionsKey: Any] = [:]
            ) -> Bool {
                RCTLinkingManager.application(app, open: url, options: options)
            }

            func application(
                _ application: UIApplication, continue userActivity: NSUserActivity,
                restorationHandler: @escaping ([UIUserActivityRestoring]?) -> Void
            ) -> Bool {
                RCTLinkingManager.application(
                    application, continue: userActivity, restorationHandler: restorationHandler)
            }
        }

        """
    }
}
