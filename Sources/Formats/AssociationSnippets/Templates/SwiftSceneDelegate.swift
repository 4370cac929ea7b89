// SceneDelegate.swift: receives links in apps with UIKit.

extension Snippet {
    static func swiftSceneDelegate() -> String {
        """
        import Foundation
        import UIKit

        /// For apps with UIKit: receives links on every path and passes them to `showLink`.
        class SceneDelegate: UIResponder, UIWindowSceneDelegate {
            var window: UIWindow?

            /// Shows the content of a link. Set it as soon as the app can show something, such as in `viewDidAppear` of
            /// the first view controller: `(view.window?.windowScene?.delegate as? SceneDelegate)?.showLink = …`.
            /// The link that started the app is kept until then.
            var showLink: ((DeepLink) -> Void)? {
                didSet {
                    guard let showLink, let link = pendingLink else { return }
                    pendingLink = nil
                    showLink(link)
                }
            }
            private var pendingLink: DeepLink?

            /// The app was started by a link.
            func scene(_ scene: UIScene, willConnectTo session: UISceneSession, options: UIScene.ConnectionOptions) {
                for activity in options.userActivities { self.scene(scene, continue: activity) }
                self.scene(scene, openURLContexts: options.urlContexts)
            }

            /// A universal link while the app runs.
            func scene(_ scene: UIScene, continue userActivity: NSUserActivity) {
                guard userActivity.activityType == NSUserActivityTypeBrowsingWeb else { return }
                open(userActivity.webpageURL)
            }

            /// A link of the custom scheme while the app runs.
            func scene(_ scene: UIScene, openURLContexts contexts: Set<UIOpenURLContext>) {
                for context in contexts { open(context.url) }
            }

            private func open(_ url: URL?) {
                guard let url, let link = DeepLink(url) else { return }
                if let showLink { showLink(link) } else { pendingLink = link }
            }
        }

        """
    }
}
