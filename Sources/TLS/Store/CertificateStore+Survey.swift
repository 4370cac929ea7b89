// How the certificates in memory stand, for metrics and the status. Only those that clients have asked for since the start
// are in memory, so this says nothing about the others.

import Synchronization

/// What is in memory of certificates.
public struct CertificateSurvey: Sendable, Equatable {
    /// Folders whose certificate can be used, and those with files that cannot.
    public var usableCount = 0
    public var brokenCount = 0
    /// The first to end, with the folder's name: a host, `_wildcard.example.com` or `_default`.
    public var soonest: [Expiry] = []

    public struct Expiry: Sendable, Equatable {
        public var folder: String
        /// Seconds since 1970.
        public var notAfter: Int64

        public init(folder: String, notAfter: Int64) {
            self.folder = folder
            self.notAfter = notAfter
        }
    }

    public init() {}

    fileprivate mutating func note(_ expiry: @autoclosure () -> Expiry, notAfter: Int64, countMax: Int) {
        if soonest.count == countMax, let last = soonest.last, notAfter >= last.notAfter { return }
        let place = soonest.firstIndex { $0.notAfter > notAfter } ?? soonest.count
        soonest.insert(expiry(), at: place)
        if soonest.count > countMax { soonest.removeLast() }
    }
}

extension CertificateStore {
    /// Goes through what is in memory. Workers wait for the lock meanwhile, so it is let go every now and then, and an entry
    /// that moves at such a moment may be missed or counted twice.
    public func survey(soonestMax: Int) -> CertificateSurvey {
        var survey = CertificateSurvey()
        var place = 0
        var isMore = true
        while isMore {
            isMore = cache.withLock { cache in
                let end = min(place + CertificateStore.surveyStep, cache.folders.count)
                while place < end {
                    switch cache.folders[place].content {
                    case .broken: survey.brokenCount += 1
                    case .identity(let identity):
                        survey.usableCount += 1
                        survey.note(
                            CertificateSurvey.Expiry(
                                folder: String(decoding: cache.folders.name(place), as: UTF8.self),
                                notAfter: identity.notAfter),
                            notAfter: identity.notAfter, countMax: soonestMax)
                    }
                    place += 1
                }
                return place < cache.folders.count
            }
        }
        return survey
    }

    /// Entries that are looked at under one lock: some 10 µs.
    private static let surveyStep = 256
}
