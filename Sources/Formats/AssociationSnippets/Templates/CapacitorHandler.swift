// src/deep-links.ts: passes links to the router of a Capacitor app.

extension Snippet {
    static func capacitorHandler(routeFunction: String) -> String {
        """
        import { App } from "@capacitor/app";

        \(routeFunction)

        /** Passes the route of a link to the router, which listens to the history. */
        function open(link: string): void {
          const route = routeOf(link);
          if (route === null) return;
          window.history.pushState({}, "", route);
          window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
        }

        /** Call this once, after the router has been created. Capacitor passes the link that started the app to the first
         * listener; calling App.getLaunchUrl() as well would follow that link twice. */
        export async function followDeepLinks(): Promise<void> {
          await App.addListener("appUrlOpen", (event) => open(event.url));
        }

        """
    }
}
