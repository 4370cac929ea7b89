// Why a file or a folder of a tenant cannot be used, and what to do about it, for findings.

import Posix

struct Obstacle {
    let reason: String
    /// Nil where the reason says it all.
    let fix: String?

    init(_ reason: String, fix: String? = nil) { (self.reason, self.fix) = (reason, fix) }

    /// - Parameter fence: the folder that links must stay in.
    init(_ error: FileError, in fence: String) {
        if case .system(let error) = error {
            self.init(error, in: fence)
        } else {
            self.init(error.description)
        }
    }

    init(_ error: SystemError, in fence: String) {
        if error.leadsOutside {
            self.init(
                "it is a link that leads out of \(fence)",
                fix: "put the file itself there, or name the folder that it is in under `linkTargets` in server.json")
        } else {
            self.init(error)
        }
    }

    init(_ problem: FolderScan.Problem, in fence: String) {
        switch problem {
        case .notAFile:
            self.init("it is neither a file nor a folder", fix: "remove it, or correct where the link leads")
        case .loop: self.init("it is a link to a folder that it is in", fix: "remove the link")
        case .hiddenWellKnown:
            self.init(
                "hidden folders are not served",
                fix: "put its files into config/hosts/<host>/well-known; for ACME clients see --acme-webroot")
        case .tooDeep: self.init("it is more than \(FolderScan.depthMax) folders deep", fix: "move it up")
        case .unreadable(let error): self.init(error, in: fence)
        }
    }

    /// Of a host's folder as a whole.
    init(folder error: SystemError) {
        if error.leadsOutside {
            self.init(
                "the host's folder is a link to another place than this host's own",
                fix: "make it a folder, or name the place under `linkTargets` in server.json")
        } else {
            self.init(error)
        }
    }

    private init(_ error: SystemError) {
        self.init(error.reason, fix: error.cause == .permission ? "let the server's user read it" : nil)
    }
}
