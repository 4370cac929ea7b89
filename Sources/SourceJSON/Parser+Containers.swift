// Putting values into their places: brackets open and close containers, and what has been read goes into the innermost.

extension Parser {
    /// At an opening bracket: passes it; what follows belongs into the new container.
    mutating func open(_ shape: Container.Shape) {
        let start = scanner.position
        guard outer.count < scanner.limits.depth else {
            return scanner.stop(.tooDeep, at: start, subject: "\(scanner.limits.depth)")
        }
        scanner.index += 1
        outer.append(container)
        container = Container(shape, bracket: scanner.range(from: start))
        state = shape == .array ? .firstElement : .firstKey
    }

    /// Puts a value that has been read into its place.
    mutating func finish(_ kind: SourceValue.Kind, from start: SourcePosition) {
        last = scanner.range(from: start)
        if case .string = kind { lastIsString = true } else { lastIsString = false }
        place(SourceValue(kind, range: last))
    }

    private mutating func place(_ finished: SourceValue) {
        valueCount += 1
        if valueCount > scanner.limits.values {
            return scanner.stop(.tooManyValues, at: finished.range.start, subject: "\(scanner.limits.values)")
        }
        state = .separator
        switch container.shape {
        case .array: container.elements.append(finished)
        case .object:
            container.members.append(
                SourceMember(key: container.key, keyRange: container.keyRange, value: finished))
        case .document:
            value = finished
            state = .end
        }
    }

    /// At a closing bracket of the right kind: passes it and puts the container into its place.
    mutating func closeContainer() {
        scanner.index += 1
        closeContainer(at: scanner.position)
    }

    mutating func closeContainer(at end: SourcePosition) {
        guard var closed = outer.popLast() else { return }
        swap(&closed, &container)
        last = SourceRange(start: closed.bracket.start, end: end)
        lastIsString = false
        place(SourceValue(closed.kind, range: last))
    }
}
