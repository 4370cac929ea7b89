// The symbolic links in what is watched. What a link leads to may lie in a folder that means nothing by itself, and may change
// without any event beside the link. So the folders behind links are watched as well, and when something happens in one of
// them, the links say which of them lead to something else now.

import Posix

/// Links, and what each led to when it was last looked at.
struct WatchedLinks {
    private var marks: [Link: FileStatus?] = [:]

    /// A name in a watched place.
    struct Link: Hashable {
        var place: WatchedPlace
        var name: String
    }

    var isEmpty: Bool { marks.isEmpty }

    /// Notes a name that is a link at this moment.
    mutating func note(_ link: Link, _ path: String) { marks[link] = WatchedLinks.mark(path) }

    /// The links that lead to something else than before, and forgets those that are no links any more.
    mutating func takeChanged(path: (Link) -> String) -> [Link] {
        var changed: [Link] = []
        for (link, known) in marks {
            let path = path(link)
            guard File.linkTarget(path) != nil else {
                marks[link] = nil
                continue
            }
            let mark = WatchedLinks.mark(path)
            if mark == known { continue }
            marks[link] = mark
            changed.append(link)
        }
        return changed
    }

    /// Of a folder only which one it is: what happens in it is told by itself.
    private static func mark(_ path: String) -> FileStatus? {
        guard var status = try? File.status(path) else { return nil }
        if !status.isRegular {
            (status.permissions, status.byteCount) = (0, 0)
            (status.modifiedNanoseconds, status.changedNanoseconds) = (0, 0)
        }
        return status
    }
}
