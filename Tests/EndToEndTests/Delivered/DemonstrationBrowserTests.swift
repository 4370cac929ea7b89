// The demonstration pages in a browser: another page of the same host clicks through them and reports what it sees.

import Foundation
import Testing

struct DemonstrationBrowserTests {
    private static let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private static let visitor = """
        <!doctype html><title>visitor</title><output id="seen"></output>
        <script>
          const seen = [];
          const open = address => new Promise(resolve => {
            const frame = document.createElement("iframe");
            frame.onload = () => resolve(frame);
            frame.src = address;
            document.body.append(frame);
          });
          const text = (frame, id) => frame.contentDocument.getElementById(id).textContent;
          const until = isDone => new Promise(resolve => {
            const look = () => isDone() ? resolve() : setTimeout(look, 20);
            look();
          });
          (async () => {
            let frame = await open("/demo/router/?/products/anchor");
            seen.push("direct: " + text(frame, "title"));
            frame.contentDocument.querySelector('nav a[href="?/orders/17"]').click();
            seen.push("click: " + text(frame, "title") + " " + frame.contentWindow.location.search);
            frame.contentDocument.getElementById("arrive").click();
            seen.push("arrive: " + text(frame, "title") + " " + text(frame, "path"));
            frame.contentWindow.history.back();
            await until(() => text(frame, "title").startsWith("Order"));
            seen.push("back: " + text(frame, "title"));
            frame = await open("/demo/router/?/<b>x</b>");
            seen.push("other: " + text(frame, "title") + " " + frame.contentDocument.querySelectorAll("output b").length);
            frame = await open("/demo/destination/?a=1");
            seen.push("destination: " + new URL(text(frame, "address")).search);
            frame = await open("/demo/");
            const field = frame.contentDocument.getElementById("host");
            const link = frame.contentDocument.querySelector('a[data-path="/products/anchor"]');
            field.value = "other.example";
            field.dispatchEvent(new Event("input", { bubbles: true }));
            seen.push("source: " + link.href);
            document.getElementById("seen").textContent = seen.join("|");
          })().catch(error => { document.getElementById("seen").textContent = "failed: " + error; });
        </script>
        """

    @Test(.enabled(if: browser != nil, "there is no Chromium here"))
    func `the router, the destination and the source page work`() throws {
        let browser = try #require(DemonstrationBrowserTests.browser)
        let folder = try Folder()
        try folder.copyFromProject("public")
        try folder.write("public/_default/visitor.html", DemonstrationBrowserTests.visitor)
        let server = try RunningServer([
            "--config", Peers.root.appendingPathComponent("config").path, "--public",
            "\(folder.path)/public", "--http", "127.0.0.1:0",
        ])
        let visit = try Subject.run(
            URL(fileURLWithPath: browser),
            [
                "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--user-data-dir=\(folder.path)/browser", "--virtual-time-budget=20000", "--dump-dom",
                "http://shop.localhost:\(server.port)/visitor.html",
            ], ["HOME": folder.path])
        let seen = visit.output.split(separator: "<output id=\"seen\">").last?.split(separator: "</output>").first ?? ""
        #expect(
            seen.split(separator: "|").map(String.init) == [
                "direct: Product: anchor", "click: Order 17 ?/orders/17",
                "arrive: Product: rope /products/rope?from=app", "back: Order 17", "other: Nothing here 0",
                "destination: ?a=1", "source: https://other.example/products/anchor",
            ], "\(visit.errors.suffix(500))")
    }
}
