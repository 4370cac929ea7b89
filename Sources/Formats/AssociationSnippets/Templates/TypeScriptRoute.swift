// `routeOf` in TypeScript, shared by all JavaScript projects.

extension Snippet {
    static func typeScriptRoute(_ own: OwnLinks) -> String {
        """
        const hosts: string[] = [\(own.hosts)];
        const hostSuffixes: string[] = [\(own.suffixes)];
        const scheme: string | null = \(own.scheme);
        // Sign-in services return their answer in the fragment: #access_token=…&state=… This moves it to the query.
        // Set it to false if a library such as MSAL or Supabase reads the answer from location.hash.
        const movesAnswerToQuery: boolean = true;

        function isOwn(host: string): boolean {
          const name = host.toLowerCase();
          return hosts.includes(name) || hostSuffixes.some((suffix) => name.endsWith(suffix));
        }

        /** The route for a link; null if the link does not belong to this app. */
        export function routeOf(link: string): string | null {
          const match = /^([a-z][a-z0-9+.-]*):\\/\\/([^/?#]*)([^?#]*)(\\?[^#]*)?(#.*)?$/i.exec(link);
          if (match === null) return null;
          const [, start = "", authority = "", path = "", query = "", fragment = ""] = match;
          const name = start.toLowerCase();
          const host = authority.replace(/^.*@/, "").replace(/:\\d*$/, "");
          let route: string;
          if (name === "https" || name === "http") {
            if (!isOwn(host)) return null;
            route = path;
          } else if (name === scheme) {
            // scheme:///products/1, scheme://HOST/products/1 and scheme://products/1 lead to the same route.
            route = host === "" || isOwn(host) ? path : host + path;
          } else {
            return null;
          }
          const isAnswer = movesAnswerToQuery && /^#[a-z0-9_.%~-]+=/i.test(fragment);
          const items = [query.slice(1), isAnswer ? fragment.slice(1) : ""].filter((part) => part !== "").join("&");
          // Two slashes at the start would name another host.
          return "/" + route.replace(/^[/\\\\]+/, "") + (items === "" ? "" : "?" + items) + (isAnswer ? "" : fragment);
        }
        """
    }
}
