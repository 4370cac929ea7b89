// The edge between the program of Linux, which has the server, and that of macOS, which has the commands of app engineers. What only
// the first has is in the folders `Linux` of the modules, or in modules of its own (Package.swift).

import Supervision

#if os(Linux)
    extension Program {
        static let serving: [Command] = [.serve, .manage]
        static let operating: [Command] = [.acme, .token, .audit, .status, .history, .health]

        /// Takes what a parent process has left for this one.
        static func inherit() throws(Refusal) { try Inheritance.take() }
    }

    extension MCPTool {
        static let operating: [MCPTool] = [.status]
    }
#else
    extension Program {
        static let serving: [Command] = []
        static let operating: [Command] = []

        static func inherit() throws(Refusal) {}
    }

    extension MCPTool {
        static let operating: [MCPTool] = []
    }
#endif
