// The tool that asks a running server.

extension MCPTool {
    static let status = MCPTool(
        name: "status", title: "State of the running server",
        description: """
            Shows the state of the running server of this configuration: hosts, files that are not served and why, certificates, open \
            findings; with `host`, the host's certificate and when Apple, Google and phones last fetched its files. Needs the server's \
            admin listener.
            """,
        command: .status,
        arguments: [Input("host", "a host that is served")],
        options: ["--hosts", "--never-fetched", "--expiring", "--deliveries"],
        result: .value("state"), answersWithFailure: true)
}
