// src/deep-links.ts: hands links to the router of a Capacitor app.

extension Snippet {
    static func capacitorHandler(routeFunction: String) -> String {
        """
        import { App } from "@capacitor/app";

        \(routeFunction)

        /** Hands a route to whatever router listens to the history. */
        function open(link: string): void {
          const route = routeOf(link);
          if (route === null) return;
          window.history.pushState({}, "", route);
          window.dispatchEvent(new PopStateEvent("popstate", { state: {} }));
        }

        /** Call once, after the router is there. Capacitor keeps the link that started the app for the first listener;
         * asking for App.getLaunchUrl() as well would follow that link twice. */
        export async function followDeepLinks(): Promise<void> {
          await App.addListener("appUrlOpen", (event) => open(event.url));
        }

        """
    }
}
