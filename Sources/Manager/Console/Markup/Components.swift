// The parts that pages are made of. A state is always said in words and shown by a shape; its colour says nothing more.

import HTTP
import Posix
import SourceJSON

/// How a state is shown.
enum Tone: String, Sendable {
    case good, wait, warn, bad, none

    var icon: HTML {
        let shape: HTML =
            switch self {
            case .good: #"<circle cx="8" cy="8" r="6.5"/><path d="m5 8.2 2.1 2.1L11 6.2"/>"#
            case .wait: #"<circle cx="8" cy="8" r="6.5"/><path d="M8 4.5V8l2.3 1.6"/>"#
            case .warn: #"<path d="M8 2 15 14H1Z"/><path d="M8 6.5v3.4m0 1.6v.4"/>"#
            case .bad: #"<path d="M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5Z"/><path d="m6 6 4 4m0-4-4 4"/>"#
            case .none: #"<path d="M4.5 8h7"/>"#
            }
        return #"<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">\#(shape)</svg>"#
    }
}

/// A state in a word or two.
func badge(_ tone: Tone, _ text: String) -> HTML {
    #"<span class="badge \#(tone.rawValue)">\#(tone.icon)\#(text)</span>"#
}

/// A part of a page with its title.
func section(_ title: String, id: String, aside: HTML = .none, _ content: HTML) -> HTML {
    """
    <section id="\(id)" aria-labelledby="\(id)-title"><header><h2 id="\(id)-title">\(title)</h2>\(aside)</header>
    \(content)</section>

    """
}

/// Names with their values.
func facts(_ rows: [(String, HTML?)]) -> HTML {
    let rows = rows.compactMap { name, value -> HTML? in
        value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" }
    }
    return rows.isEmpty ? .none : "<dl>\(rows)</dl>"
}

/// A list of things of one kind, or else what to do so that there are some.
func list(_ rows: [HTML], empty: HTML) -> HTML {
    rows.isEmpty ? #"<div class="empty">\#(empty)</div>"# : #"<ul class="rows">\#(rows)</ul>"#
}

/// A thing in a list: its name, which leads to its page, what is known of it, and a line below.
func row(_ name: HTML, states: [HTML] = [], more: HTML? = nil) -> HTML {
    let line = more.map { #"<div class="more">\#($0)</div>"# as HTML } ?? .none
    let side: HTML = states.isEmpty ? .none : #"<span class="states">\#(states)</span>"#
    return "<li><span class=\"name\">\(name)</span>\(side)\(line)</li>"
}

func link(_ path: String, _ text: String) -> HTML { "<a href=\"\(path)\">\(text)</a>" }

/// A text to copy, such as a record or a command. The button is the script's.
func copyable(_ text: String) -> HTML { #"<code class="copy" tabindex="0">\#(text)</code>"# }

/// A button of its own, which changes something.
func action(
    _ path: String, _ label: String, isMain: Bool = false, inNewTab: Bool = false,
    _ fields: KeyValuePairs<String, String> = [:]
) -> HTML {
    let hidden = fields.map { name, value -> HTML in
        #"<input type="hidden" name="\#(name)" value="\#(exactly: value)">"#
    }
    return """
        <form method="post" action="\(path)"\(#"target="_blank""#, if: inNewTab)>\(hidden)<button\("class=main", if: isMain)>\(label)</button></form>
        """
}

/// Links to the pages behind and before.
func pager(first: String?, next: String?) -> HTML {
    if first == nil, next == nil { return .none }
    let links = [first.map { link($0, "First page") }, next.map { link($0, "Next 100") }].compactMap { $0 }
    return "<nav class=\"pager\" aria-label=\"Pages\">\(links)</nav>"
}

/// How long ago, with the exact time. In seconds since 1970.
func ago(_ seconds: Int64, now: Int64) -> HTML {
    let text = seconds > now ? "in \(Age.text(seconds: seconds - now))" : Age.ago(from: seconds, to: now)
    return #"<time datetime="\#(HTTPDate.timestamp(seconds))" title="\#(HTTPDate.timestamp(seconds))">\#(text)</time>"#
}

/// A time of the API, as people write it.
func stamp(_ text: String) -> HTML {
    #"<time datetime="\#(text)">\#(text.replacing("T", with: " ").replacing("Z", with: " UTC"))</time>"#
}

/// A finding of the server. Its place leads to the line of the app file.
func finding(_ text: String, _ call: ConsoleCall) -> HTML {
    let folders = call.console.server.folders
    let isPublished = text.hasPrefix(folders.published)
    guard isPublished || text.hasPrefix(folders.operator), let end = text.firstRange(of: ": ")?.lowerBound else {
        return "\(text)"
    }
    let place = String(text[..<end].dropFirst((isPublished ? folders.published : folders.operator).count))
    let parts = place.split(separator: ":").map(String.init)
    let names = (parts.first ?? "").split(separator: "/").map(String.init)
    guard parts.count == 3, let line = Int64(parts[1]), !isPublished || names.count == 2 else { return "\(text)" }
    let page = isPublished ? path("apps", names[0], names[1]) : path("file", query: ["path": parts[0]])
    return link(linePage(page, line), place) + "\(String(text[end...]))"
}

/// The page of an app file, at a line.
func linePage(_ page: String, _ line: Int64) -> String { "\(page)\(page.contains("?") ? "&" : "?")line=\(line)#line" }

/// JSON or JSON5 with its parts marked. The text is that of the file, also where it is none of both.
func highlighted(_ text: String) -> HTML { #"<pre class="code" tabindex="0"><code>\#(marked(text))</code></pre>"# }

/// The same with the numbers of the lines.
/// - Parameter line: the one that somebody has come for.
func numbered(_ text: String, line: Int? = nil) -> HTML {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, text -> HTML in
        let content = marked(String(text))
        return "<span>\(index + 1 == line ? "<mark id=\"line\">\(content)</mark>" as HTML : content)</span>\n"
    }
    return #"<pre class="code numbered" tabindex="0"><code>\#(lines)</code></pre>"#
}

private func marked(_ text: String) -> HTML {
    var parts: [HTML] = []
    var rest = Array(text.utf8)[...]
    func take(_ count: Int, _ kind: String?) {
        let part = String(decoding: rest.prefix(count), as: UTF8.self)
        parts.append(kind.map { #"<span class="\#($0)">\#(part)</span>"# } ?? "\(part)")
        rest = rest.dropFirst(count)
    }
    while let byte = rest.first {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            var end = rest.startIndex + 1
            while end < rest.endIndex, rest[end] != byte, rest[end] != 0x0A {
                end += rest[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            let count = min(end, rest.endIndex - 1) - rest.startIndex + 1
            let following = rest.dropFirst(count).first { $0 != 0x20 && $0 != 0x0A }
            take(count, following == UInt8(ascii: ":") ? "k" : "s")
        case UInt8(ascii: "/") where rest.dropFirst().first == byte: take(rest.prefix { $0 != 0x0A }.count, "c")
        case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"):
            let end = rest.indices.dropFirst(3).first {
                rest[$0] == UInt8(ascii: "/") && rest[$0 - 1] == UInt8(ascii: "*")
            }
            take((end ?? rest.endIndex - 1) - rest.startIndex + 1, "c")
        default:
            let plain = rest.prefix { !"\"'/".utf8.contains($0) }.count
            take(max(1, plain), nil)
        }
    }
    return HTML(parts)
}
