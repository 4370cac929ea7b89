// Why a tenant's file or folder cannot be used, and how to fix it, for findings.

import Posix

struct AccessProblem {
    let reason: String
    /// Nil if the reason implies it.
    let fix: String?

    init(_ reason: String, fix: String? = nil) { (self.reason, self.fix) = (reason, fix) }

    /// - Parameter boundary: the folder that links must stay in.
    init(_ error: FileError, in boundary: String) {
        if case .system(let error) = error {
            self.init(error, in: boundary)
        } else {
            self.init(error.description)
        }
    }

    init(_ error: SystemError, in boundary: String) {
        if error.leadsOutside {
            self.init(
                "it is a link out of \(boundary)",
                fix: "put the file itself there, or add its folder to `linkTargets` in server.json")
        } else {
            self.init(error)
        }
    }

    init(_ problem: FolderScan.Problem, in boundary: String) {
        switch problem {
        case .notAFile:
            self.init("it is neither a file nor a folder", fix: "remove it, or fix the link")
        case .loop: self.init("it is a link to a folder that contains it", fix: "remove the link")
        case .hiddenWellKnown:
            self.init(
                "hidden folders are not served",
                fix: "move its files to config/hosts/<host>/well-known; for ACME clients see --acme-webroot")
        case .tooDeep: self.init("it is in more than \(FolderScan.depthMax) nested folders", fix: "move it up")
        case .unreadable(let error): self.init(error, in: boundary)
        }
    }

    /// For a host's folder as a whole.
    init(folder error: SystemError) {
        if error.leadsOutside {
            self.init(
                "the host's folder is a link to a folder that is not this host's",
                fix: "make it a folder, or add its target to `linkTargets` in server.json")
        } else {
            self.init(error)
        }
    }

    private init(_ error: SystemError) {
        self.init(error.reason, fix: error.cause == .permission ? "let the server's user read it" : nil)
    }
}
