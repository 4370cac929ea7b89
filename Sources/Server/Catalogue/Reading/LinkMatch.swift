// Matches one request's path and query against the link rules of landing pages: the first rule of which every part matches
// decides. iOS does the same with the same rules; HostingTests compares the two.

import HTTP

/// The rules of one landing page in the image.
@safe struct LinkRules {
    let rules: UnsafeBufferPointer<LinkRuleRecord>
    let items: UnsafePointer<LinkItemRecord>
    let base: UnsafeRawPointer

    func bytes(_ blob: Blob) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + Int(blob.offset), count: Int(blob.count))
    }
}

/// The path and query of one request, and the steps left for matching.
@safe struct LinkMatch {
    let path: UnsafeRawBufferPointer
    let query: UnsafeRawBufferPointer
    var stepsLeft = LinkPattern.stepsMax

    init(path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer) {
        unsafe self.path = path
        unsafe self.query = query
    }

    /// Writes a path in the form in which iOS compares it, and returns its length: runs of `/` and of `*` are reduced to one,
    /// and the path ends with `/` unless it ends with `*`. `target` has room for two more bytes than the path.
    static func normalise(_ path: Span<UInt8>, into target: UnsafeMutableRawBufferPointer) -> Int {
        let slash = UInt8(ascii: "/")
        let star = UInt8(ascii: "*")
        var count = 0
        if path.count == 0 || path[0] != slash {
            unsafe target[0] = slash
            count = 1
        }
        for index in 0..<path.count {
            let byte = path[index]
            if count > 0, unsafe byte == target[count - 1], byte == slash || byte == star { continue }
            unsafe target[count] = byte
            count += 1
        }
        if unsafe target[count - 1] != slash, unsafe target[count - 1] != star {
            unsafe target[count] = slash
            count += 1
        }
        return count
    }

    /// The first rule that matches decides; when none does, the link is not the app's.
    mutating func isIncluded(by rules: LinkRules) -> Bool {
        for index in unsafe rules.rules.indices {
            let rule = unsafe rules.rules[index]
            if matches(rule, rules) { return !rule.has(LinkRuleRecord.excludes) }
        }
        return false
    }

    private mutating func matches(_ rule: LinkRuleRecord, _ rules: LinkRules) -> Bool {
        // When a rule has run out of steps, no later one may decide.
        if stepsLeft < 0 { return false }
        let foldsCase = rule.has(LinkRuleRecord.foldsCase)
        if rule.has(LinkRuleRecord.hasPath), unsafe !matches(rules.bytes(rule.path), path, foldsCase) { return false }
        if rule.has(LinkRuleRecord.hasQuery), unsafe !matches(rules.bytes(rule.query), query, foldsCase) {
            return false
        }
        for index in rule.items.range {
            let item = unsafe rules.items[index]
            if unsafe !matchesItem(rules.bytes(item.name), rules.bytes(item.pattern), foldsCase) { return false }
        }
        return true
    }

    /// Splits the query at `&` and at the first `=`, as Apple's URL types do.
    private mutating func matchesItem(
        _ name: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, _ foldsCase: Bool
    ) -> Bool {
        var isPresent = false
        var start = 0
        while unsafe start <= query.count, unsafe !query.isEmpty {
            var end = start
            var equals: Int?
            while unsafe end < query.count, unsafe query[end] != UInt8(ascii: "&") {
                if equals == nil, unsafe query[end] == UInt8(ascii: "=") { equals = end }
                end += 1
            }
            // An empty item is a step too: one request can have thousands of them.
            stepsLeft -= end - start + 1
            if stepsLeft < 0 { return false }
            if unsafe name.elementsEqual(query[start..<(equals ?? end)]) {
                isPresent = true
                let value = equals.map { $0 + 1 } ?? end
                guard unsafe matches(pattern, UnsafeRawBufferPointer(rebasing: query[value..<end]), foldsCase) else {
                    return false
                }
            }
            start = end + 1
        }
        return unsafe isPresent || matches(pattern, UnsafeRawBufferPointer(start: nil, count: 0), foldsCase)
    }

    private mutating func matches(
        _ pattern: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, _ foldsCase: Bool
    ) -> Bool {
        unsafe LinkPattern.matches(pattern, text, foldsCase: foldsCase, steps: &stepsLeft)
    }
}

/// Patterns over the bytes of a request: `*` is any number of bytes, `?` is one, and the bytes 1 to 6 each stand for one of a
/// character class; the whole text has to match. To find a match it is enough to retry from the last `*`, so there is no recursion
/// and no stack. A budget of steps limits the cost of a hostile target.
public struct LinkPattern: Hashable, Sendable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// One character of a class, as the byte that stands for it.
    public enum CharacterClass: UInt8, CaseIterable, Sendable {
        case letter = 1
        case upper
        case lower
        case alphanumeric
        case digit
        case hexadecimal
    }

    /// Byte comparisons for one request: some microseconds.
    static let stepsMax = 1 << 16

    /// Whether all of `text` matches. False when the steps run out, which then leaves none for the next pattern.
    static func matches(
        _ pattern: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, foldsCase: Bool, steps: inout Int
    ) -> Bool {
        var patternIndex = 0
        var textIndex = 0
        /// Where to continue when a comparison fails: after the last star, one byte later than the last time.
        var retry: (pattern: Int, text: Int)?
        while true {
            steps -= 1
            if steps < 0 { return false }
            if patternIndex < pattern.count, unsafe pattern[patternIndex] == UInt8(ascii: "*") {
                patternIndex += 1
                if patternIndex == pattern.count { return true }
                retry = (patternIndex, textIndex)
            } else if textIndex == text.count {
                return patternIndex == pattern.count
            } else if patternIndex < pattern.count,
                unsafe holds(
                    pattern[patternIndex], foldsCase ? Octet.lowercased(text[textIndex]) : text[textIndex], foldsCase)
            {
                patternIndex += 1
                textIndex += 1
            } else if let last = retry {
                patternIndex = last.pattern
                textIndex = last.text + 1
                retry = (last.pattern, textIndex)
            } else {
                return false
            }
        }
    }

    private static func holds(_ symbol: UInt8, _ byte: UInt8, _ foldsCase: Bool) -> Bool {
        if symbol == UInt8(ascii: "?") { return true }
        guard let characterClass = CharacterClass(rawValue: symbol) else { return symbol == byte }
        let isUpper = byte &- 0x41 < 26
        let isLower = byte &- 0x61 < 26
        let isDigit = byte &- 0x30 < 10
        switch characterClass {
        case .letter: return isUpper || isLower
        // If the case is ignored, small letters are capitals too.
        case .upper: return isUpper || foldsCase && isLower
        case .lower: return isLower
        case .alphanumeric: return isUpper || isLower || isDigit
        case .digit: return isDigit
        case .hexadecimal: return isDigit || (byte | 0x20) &- 0x61 < 6
        }
    }
}
