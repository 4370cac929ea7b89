// A span of time as it is typed on the command line: `90s`, `30m`, `12h`, `14d`.

struct TimeSpan: Equatable {
    let seconds: Int64

    init?(_ text: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
            (1...100_000).contains(number)
        else { return nil }
        seconds = number * unit
    }
}
