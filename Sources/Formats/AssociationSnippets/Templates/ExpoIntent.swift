// app/+native-intent.ts: turns a link into its route in an Expo app.

extension Snippet {
    static func expoIntent(routeFunction: String) -> String {
        """
        \(routeFunction)

        /** Turns a link into its route, on a cold start and while the app runs. */
        export function redirectSystemPath({ path }: { path: string; initial: boolean }): string {
          return routeOf(path) ?? path;
        }

        """
    }
}
