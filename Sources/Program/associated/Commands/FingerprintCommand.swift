// `associated fingerprint`: the fingerprints of an app's signing certificates, in the form for an app file. `AppSigning` finds them.

import AppSigning
import Association
import Client
import Hosting
import Posix
import SourceJSON
import Supervision

extension Command {
    static let fingerprint = Command(
        name: "fingerprint", summary: "print the fingerprints of an Android app's signing certificates",
        details: """
            Prints the SHA-256 fingerprints of the certificates that sign FILE, in the form for an app file. FILE is an APK, an
            Android App Bundle, or a certificate in PEM or DER.

            Of an APK, the certificates are those of the signature schemes v2, v3 and v3.1, with the earlier keys of a
            rotation; without these, those of the JAR signature (v1). Signatures are not verified, and only the parts of the file
            that name certificates are read.

            Google Play signs what it delivers with its own key, and not with the upload key of a build or a bundle. For such
            apps, take the fingerprint from App integrity in the Play Console, or name an APK that a phone got from Google Play.
            """,
        operands: Operands(usage: "FILE", counts: 1...1),
        options: [
            .comparedConfig.with(
                help: "also say which app files of this configuration have each fingerprint (default: no comparison)"),
            .environment, .format,
        ],
        failure: "FILE names no certificate, or cannot be read"
    ) { arguments in
        let path = arguments.operands[0]
        let isJSON = try arguments.wantsJSON()
        let signed = try SignedApp(file: path)
        let known = arguments.has("--config") ? try ListedFingerprints(GivenConfiguration(answering: arguments)) : nil
        let output = FingerprintOutput(signed, known)
        if isJSON {
            Console.output(data: output.json(file: path))
        } else {
            Console.output(output.text)
            if let advice = output.advice { Console.error(line: advice) }
        }
        return .success
    }
}

extension SignedApp {
    fileprivate init(file path: String) throws(Refusal) {
        let file: OpenFile
        do throws(FileError) { file = try OpenFile(path) } catch {
            throw .failure("cannot read \(path): \(error)")
        }
        do throws(SigningProblem) {
            try self.init(
                byteCount: file.byteCount,
                read: { offset, count throws(SigningProblem) in
                    do throws(FileError) { return try file.part(at: offset, count: count) } catch {
                        throw SigningProblem("it cannot be read: \(error)")
                    }
                }, expand: Gunzip.expand)
        } catch {
            throw .failure("\(path) names no signing certificate: \(error)")
        }
    }
}

/// Where app files have fingerprints.
private struct ListedFingerprints {
    struct Place {
        let file: String
        let package: String
        let note: String?
    }

    private var places: [String: [Place]] = [:]

    init(_ given: GivenConfiguration) throws(Refusal) {
        guard let files = given.appFiles else { throw .failure("there are no app files in \(given.path)/apps") }
        for path in files.paths {
            guard let app = files.bytes(of: path).flatMap({ given.appFile($0, file: path).app }) else { continue }
            for package in app.android?.packages ?? [] {
                for print in package.fingerprints {
                    places[print, default: []].append(
                        Place(file: path, package: package.name, note: package.notes[print]))
                }
            }
        }
    }

    subscript(fingerprint: String) -> [Place] { places[fingerprint] ?? [] }
}

private struct FingerprintOutput {
    private let kind: SignedApp.Kind
    private let entries: [(text: String, certificate: SignedApp.Certificate, places: [ListedFingerprints.Place]?)]

    init(_ signed: SignedApp, _ known: ListedFingerprints?) {
        kind = signed.kind
        entries = signed.certificates.compactMap { certificate in
            Fingerprint(normalising: certificate.fingerprint).map { ($0.text, certificate, known?[$0.text]) }
        }
    }

    /// A member of an app file, with comments.
    var text: String {
        let lines = entries.map { text, certificate, places in
            let value = kind == .bundle ? "{ sha256: \"\(text)\", note: \"upload key\" }" : "\"\(text)\""
            let comment = (roles(of: certificate) + words(for: places)).joined(separator: "; ")
            return "  \(value),\(comment.isEmpty ? "" : "  // \(comment)")"
        }
        return Printable.lines("fingerprints: [\n\(lines.joined(separator: "\n"))\n]\n")
    }

    private func roles(of certificate: SignedApp.Certificate) -> [String] {
        func list(_ schemes: [SignedApp.Scheme]) -> String { schemes.map(\.rawValue).joined(separator: ", ") }
        return [
            certificate.signs.isEmpty ? "" : "signs with \(list(certificate.signs))",
            certificate.precedes.isEmpty ? "" : "replaced by a newer key in \(list(certificate.precedes))",
        ].filter { !$0.isEmpty }
    }

    private func words(for places: [ListedFingerprints.Place]?) -> [String] {
        guard let places else { return [] }
        if places.isEmpty { return ["in no app file"] }
        return places.map { "in \($0.file) for \($0.package)\($0.note.map { " (\($0))" } ?? "")" }
    }

    /// What people get wrong about such a file.
    var advice: String? {
        switch kind {
        case .bundle:
            "an App Bundle is signed with the upload key, and Google Play signs the app with another: take the fingerprint of that "
                + "from App integrity in the Play Console"
        case .apk:
            "if Google Play delivers the app and this APK is not from there, phones have a build with another fingerprint: that of "
                + "App integrity in the Play Console"
        case .certificate: nil
        }
    }

    func json(file: String) -> [UInt8] {
        let values = entries.map { text, certificate, places -> SourceValue in
            .object(
                [
                    ("sha256", .string(text)), ("signs", .strings(certificate.signs.map(\.rawValue))),
                    ("precedes", .strings(certificate.precedes.map(\.rawValue))),
                ]
                    + (places.map { places in
                        [
                            (
                                "appFiles",
                                .array(
                                    places.map { place in
                                        .object([
                                            ("file", .string(place.file)), ("package", .string(place.package)),
                                            ("note", place.note.map { .string($0) } ?? .null),
                                        ])
                                    })
                            )
                        ]
                    } ?? []))
        }
        return SourceWriter.canonical(
            .object([("file", .string(file)), ("kind", .string(kind.rawValue)), ("fingerprints", .array(values))]))
    }
}
