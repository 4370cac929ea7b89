// Recording problems. The dialect decides here, and only here, whether a deviation is one; subjects and edits are built
// only for problems that are kept, so that reading a file full of comments as JSON5 costs nothing.

extension Scanner {
    /// Records that the text from `start` to the cursor deviates.
    mutating func report(
        _ kind: SourceProblemKind, from start: SourcePosition, subject: String? = nil, related: SourceRange? = nil,
        replacement: @autoclosure () -> String? = nil
    ) {
        let range = range(from: start)
        report(
            kind, at: range, subject: subject, related: related,
            edit: replacement().map { SourceEdit(range: range, replacement: $0) })
    }

    /// Records that a stretch of the text deviates. Without a subject, the text itself is the subject.
    mutating func report(
        _ kind: SourceProblemKind, at range: SourceRange, subject: String? = nil, related: SourceRange? = nil,
        edit: @autoclosure () -> SourceEdit? = nil
    ) {
        let standing = kind.standing(in: dialect)
        guard standing != .permitted else { return }
        if problems.count < limits.problems {
            problems.append(
                SourceProblem(
                    kind: kind, range: range, subject: subject ?? defaultSubject(of: kind, at: range), related: related,
                    edit: edit(), isError: standing == .error))
            return
        }
        // Warnings beyond the limit are dropped: they must not make an acceptable text unacceptable.
        guard standing == .error else { return }
        // What JSON5 permits is no reason to stop: a long file of comments still has a value to look at.
        if kind.standing(in: .json5) != .permitted { isStopped = true }
        guard problems.count == limits.problems else { return }
        // Behind all that are listed: an encoding is judged before the text is read from its beginning.
        let last = problems[problems.count - 1].range
        problems.append(
            SourceProblem(
                kind: .tooManyProblems, range: last.start.offset > range.start.offset ? last : range,
                subject: "\(limits.problems)", related: nil, edit: nil,
                isError: true))
    }

    /// Records that the text from `start` to the cursor cannot be read past.
    mutating func stop(
        _ kind: SourceProblemKind, from start: SourcePosition, subject: String? = nil, related: SourceRange? = nil
    ) {
        stop(kind, at: range(from: start), subject: subject, related: related)
    }

    /// Records what cannot be read past, at one place.
    mutating func stop(
        _ kind: SourceProblemKind, at place: SourcePosition, subject: String? = nil, related: SourceRange? = nil
    ) {
        stop(kind, at: SourceRange(at: place), subject: subject, related: related)
    }

    private mutating func stop(
        _ kind: SourceProblemKind, at range: SourceRange, subject: String?, related: SourceRange?
    ) {
        if !isStopped { report(kind, at: range, subject: subject, related: related) }
        isStopped = true
    }

    private func defaultSubject(of kind: SourceProblemKind, at range: SourceRange) -> String {
        switch kind {
        case .controlCharacter, .otherWhiteSpace, .invisibleCharacter: scalarName(at: range.start.offset)
        default: excerpt(range.start.offset..<range.end.offset)
        }
    }

    /// A stretch of the text for a message: at most 40 scalars, nothing in it that a terminal would act on.
    func excerpt(_ range: Range<Int>) -> String {
        Printable.text(bytes[range], scalarsMax: 40)
    }

    /// The name of the scalar at the cursor, such as `U+00A0`.
    func scalarName(at offset: Int) -> String {
        Printable.name(scalar(at: offset).value)
    }
}
