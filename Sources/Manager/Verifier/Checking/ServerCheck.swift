// Checks one host: sends all probes, several at a time, and passes the answers to the rules. If a host cannot be reached or
// does not answer in time, the remaining probes are not sent.

public import Client
import Posix

/// Checks hosts from outside.
public struct ServerCheck: Sendable {
    private let fetcher: Fetcher
    private let settings: CheckSettings
    private let addresses: HostAddresses
    /// Nil without a key.
    private let registrations: RegistrationQueries?
    /// Probes at the same time.
    private static let concurrentMax = 6
    /// Redirects that are followed to show them; verifiers follow none.
    private static let stepsMax = 5

    public init(_ fetcher: Fetcher, _ settings: CheckSettings) {
        self.fetcher = fetcher
        self.settings = settings
        let addresses = HostAddresses(overrides: settings.overrides)
        self.addresses = addresses
        registrations = settings.registration.map { api in
            RegistrationQueries(api) { location, fields in
                ServerCheck.fetch(location, fetcher, addresses, settings.limits, secretFields: fields)
            }
        }
    }

    public func check(_ host: CheckedHost) -> ServerCheckReport { ServerCheckReport(answers(of: host), settings) }

    private func answers(of host: CheckedHost) -> HostAnswers {
        var answers = HostAnswers(host)
        do throws(NameLookupError) {
            answers.addresses = try addresses.of(host)
            answers.isOverridden = !addresses.given(host.name, host.port).isEmpty
        } catch {
            answers.lookUpError = error
            return answers
        }
        guard let address = answers.addresses.first else { return answers }
        ask([.file(.apple)], of: address, &answers)
        if !answers.isReachable { return answers }
        // If both files time out, no further probes are sent to the host.
        if answers.error(.file(.apple))?.isTimeOut == true {
            ask([.file(.statements)], of: address, &answers)
            if answers.error(.file(.statements))?.isTimeOut == true {
                askOthers(&answers)
                return answers
            }
        }
        ask(Probe.first.filter { answers.answers[$0] == nil }, of: address, &answers)
        askFurther(&answers, address)
        askOthers(&answers)
        return answers
    }

    /// Sends the probes that depend on the first answers.
    private func askFurther(_ answers: inout HostAnswers, _ address: SocketAddress) {
        if answers.response(.file(.apple))?.status != 200 {
            let names = [
                "/.well-known/apple-app-site-association.json", "/apple-app-site-association.json",
                "/.well-known/Apple-App-Site-Association",
            ]
            ask(names.map { .wrongName($0) }, of: address, &answers)
        }
        for document in Probe.Document.allCases {
            guard let response = answers.response(.file(document)) else { continue }
            if response.isRedirect { answers.steps[document] = follow(response) }
            guard response.status != 200, let sibling = try? addresses.of(answers.host.sibling).first else {
                continue
            }
            answers.answers[.sibling(document)] = fetch(.sibling(document), answers.host.sibling, sibling)
        }
        if let other = answers.addresses.first(where: { $0.isIPv6 != address.isIPv6 }) {
            ask(Probe.Document.allCases.map { .otherAddress($0) }, of: other, &answers)
        }
    }

    /// Queries the services that keep copies.
    private func askOthers(_ answers: inout HostAnswers) {
        if let location = settings.appleCDN { answers.appleCopy = fetch(location, adding: answers.host.name) }
        if let location = settings.google {
            answers.googleAnswer = fetch(location, adding: VerifierRequest.googleQuery("\(answers.host)"))
        }
        if let registrations, let file = answers.body(.statements) {
            let certificates = AppCertificate.all(in: file)
            if !certificates.isEmpty { answers.registrations = registrations.report(on: certificates) }
        }
    }

    private func ask(_ probes: [Probe], of address: SocketAddress, _ answers: inout HostAnswers) {
        let host = answers.host
        let results = Concurrently.map(probes, threadsMax: ServerCheck.concurrentMax) { probe in
            fetch(probe, host, address)
        }
        for (probe, result) in zip(probes, results) { answers.answers[probe] = result }
    }

    private func fetch(
        _ probe: Probe, _ host: CheckedHost, _ address: SocketAddress
    ) -> Result<FetchedResponse, FetchError> {
        var request = FetchRequest(
            host: host.name, hostField: host.description, address: address, path: probe.path,
            userAgent: probe.agent.userAgent, limits: settings.limits)
        let port = host.port == 443 ? "" : ":\(host.port)"
        switch probe {
        case .head: request.method = "HEAD"
        case .gzip: request.acceptsGzip = true
        case .trailingDot: request.hostField = "\(host.name).\(port)"
        case .unknownHost: request.hostField = "associated-check.invalid"
        case .challenge:
            request.isSecure = false
            request.hostField = host.name
            request.address = plainAddress(of: host.name, like: address)
        default: break
        }
        return fetcher.fetch(request)
    }

    private func fetch(_ location: WebLocation, adding text: String) -> Result<FetchedResponse, FetchError> {
        ServerCheck.fetch(location, adding: text, fetcher, addresses, settings.limits)
    }

    /// - Parameter secretFields: only for a server whose certificate can be trusted.
    private static func fetch(
        _ location: WebLocation, adding text: String = "", _ fetcher: Fetcher, _ addresses: HostAddresses,
        _ limits: FetchLimits, secretFields: [FetchedResponse.Field] = []
    ) -> Result<FetchedResponse, FetchError> {
        do throws(NameLookupError) {
            guard let address = try addresses.ofService(location.host).first else {
                return .failure(.failed("\(location.host) has no address"))
            }
            var request = FetchRequest(
                host: location.host.name, hostField: location.hostField, address: address,
                isSecure: location.isSecure, path: location.path + text, userAgent: Probe.Agent.unknown.userAgent,
                limits: limits)
            (request.fields, request.requiresTrust) = (secretFields, !secretFields.isEmpty)
            return fetcher.fetch(request)
        } catch {
            return .failure(.failed(error.description))
        }
    }

    /// The steps of a redirect, for the message.
    private func follow(_ first: FetchedResponse) -> [String] {
        var steps: [String] = []
        var response = first
        while response.isRedirect {
            if steps.count == ServerCheck.stepsMax { return steps + ["so on"] }
            guard let text = response["location"] else { return steps + ["\(response.status) to nowhere"] }
            steps.append("\(response.status) to \(text.prefix(200))")
            guard let next = WebLocation(text), case .success(let answer) = fetch(next, adding: "") else {
                return steps
            }
            response = answer
        }
        return steps + ["\(response.status)"]
    }

    private func plainAddress(of name: String, like address: SocketAddress) -> SocketAddress {
        addresses.given(name, 80).first ?? address.with(port: 80)
    }
}

public struct CheckSettings: Sendable {
    public var limits = FetchLimits()
    public var overrides: [AddressOverride] = []
    /// The base URL of Apple's CDN, without the host name; nil to skip it.
    public var appleCDN: WebLocation?
    /// The base URL of Google's service, without the query; nil to skip it.
    public var google: WebLocation?
    /// Where to ask whether apps are registered with their certificates; nil not to ask.
    public var registration: RegistrationAPI?
    /// The expected files of a host; nil if unknown.
    public var expected: @Sendable (String) -> ExpectedFiles? = { _ in nil }
    /// Those of these options that were given, as text behind the name of a command in a message.
    public var options: @Sendable ([String]) -> String = { _ in "" }

    public init() {}
}

/// The files that a configuration generates for a host.
public struct ExpectedFiles: Hashable, Sendable {
    /// Nil if the host should have none.
    public var apple: [UInt8]?
    public var statements: [UInt8]?
    /// The platforms with an app that names the wildcard below this host, but not this host.
    public var wildcardsBelow: Platforms

    /// A set of the two platforms.
    public struct Platforms: OptionSet, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let apple = Platforms(rawValue: 1)
        public static let android = Platforms(rawValue: 2)
    }

    public init(apple: [UInt8]?, statements: [UInt8]?, wildcardsBelow: Platforms = []) {
        (self.apple, self.statements, self.wildcardsBelow) = (apple, statements, wildcardsBelow)
    }

    subscript(document: Probe.Document) -> [UInt8]? {
        switch document {
        case .apple: apple
        case .statements: statements
        }
    }
}
