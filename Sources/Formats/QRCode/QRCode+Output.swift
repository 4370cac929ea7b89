// A QR code for a web page and for a terminal, each with the quiet zone of four light modules that readers need.

extension QRCode {
    private static let quietZone = 4

    /// A drawing without a size of its own: the page or the viewer scales it.
    public func svg(title: String) -> String {
        var path = ""
        for row in 0..<size {
            var start = 0
            while let first = (start..<size).first(where: { isDark(column: $0, row: row) }) {
                start = (first..<size).first { !isDark(column: $0, row: row) } ?? size
                let length = start - first
                path += "M\(first + QRCode.quietZone),\(row + QRCode.quietZone)h\(length)v1h-\(length)z"
            }
        }
        let width = size + 2 * QRCode.quietZone
        let escaped = title.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(width)" role="img" shape-rendering="crispEdges">
            <title>\(escaped)</title>
            <rect width="\(width)" height="\(width)" fill="#fff"/>
            <path d="\(path)"/>
            </svg>

            """
    }

    /// Half blocks for a terminal, two rows of modules in each line. Light modules are drawn, because most terminals are dark.
    /// - Parameter isColored: adds colours, bright white and black, so that it is right on every terminal.
    public func text(isColored: Bool) -> String {
        let places = -QRCode.quietZone..<(size + QRCode.quietZone)
        var text = ""
        for row in stride(from: places.lowerBound, to: places.upperBound, by: 2) {
            if isColored { text += "\u{1B}[97m\u{1B}[40m" }
            for column in places {
                // The number of rows is odd.
                let isLowerLight = row + 1 < places.upperBound && !isDark(column: column, row: row + 1)
                switch (!isDark(column: column, row: row), isLowerLight) {
                case (true, true): text += "█"
                case (true, false): text += "▀"
                case (false, true): text += "▄"
                case (false, false): text += " "
                }
            }
            text += isColored ? "\u{1B}[0m\n" : "\n"
        }
        return text
    }
}
