// `associated qr`: a QR code of a link, for the camera of a phone.

import Association
import QRCode
import Supervision

extension Command {
    static let qr = Command(
        name: "qr", summary: "show a QR code of a link, for the camera of a phone",
        details: """
            Shows a QR code of URL in the terminal, or prints it as an SVG image (--svg). A phone opens the link from its camera.

            The code is black and white on any terminal. In a pipe, or with NO_COLOR, it has no colours and fits a dark
            background. A URL without a scheme is treated as https.
            """,
        operands: Operands(usage: "URL", counts: 1...1),
        options: [Option(name: "--svg", value: nil, help: "print an SVG image (default: text for a terminal)")]
    ) { arguments throws(Refusal) in
        let url = try LinkURL.required(arguments.operands[0])
        guard let code = QRCode(url.text) else {
            throw .usage(
                "the URL has \(url.text.utf8.count) bytes, and the largest QR code holds \(QRCode.bytesMax)")
        }
        if arguments.has("--svg") {
            Console.output(data: Array(code.svg(title: url.text).utf8))
        } else {
            Console.output(code.text(isColored: Console.wantsColour))
        }
        return .success
    }
}
