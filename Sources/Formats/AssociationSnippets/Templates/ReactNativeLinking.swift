// src/linking.ts: React Navigation's `linking`.

extension Snippet {
    static func reactNativeLinking(routeFunction: String, origin: String) -> String {
        """
        import { Linking } from "react-native";

        \(routeFunction)

        const origin = \(origin);

        /** For React Navigation: <NavigationContainer linking={{ ...linking, config }}>. */
        export const linking = {
          prefixes: [origin],
          async getInitialURL(): Promise<string | null> {
            const link = await Linking.getInitialURL();
            const route = link === null ? null : routeOf(link);
            return route === null ? null : origin + route;
          },
          subscribe(listener: (url: string) => void): () => void {
            const subscription = Linking.addEventListener("url", (event: { url: string }) => {
              const route = routeOf(event.url);
              if (route !== null) listener(origin + route);
            });
            return () => subscription.remove();
          },
        };

        """
    }
}
