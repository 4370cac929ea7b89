// How many lines about one tenant's changes the log has. A written line cannot be taken back, so the shares are fixed here: each tenant
// has so many lines an hour, and what is left out is counted. Pure: the time is passed in.

import Tenancy

struct TenantLines {
    private var hours: [TenantID: Hour] = [:]
    private var full: [TenantID] = []
    private var nextEnd: Int64 = .max

    private struct Hour {
        let end: Int64
        var written = 0
        var omitted = 0
    }

    /// A tenant who repairs a hundred app files has some hundreds of lines.
    static let linesMax = 500
    static let hourMilliseconds: Int64 = 3_600_000

    /// Whether a line about a tenant is written.
    /// - Parameter now: by the monotonic clock.
    mutating func admits(_ tenant: TenantID, _ now: Int64) -> Bool {
        if tenant == .operator { return true }
        var hour = hours[tenant] ?? Hour(end: now + TenantLines.hourMilliseconds)
        let isAdmitted = hour.written < TenantLines.linesMax
        if isAdmitted { hour.written += 1 } else { hour.omitted += 1 }
        if !isAdmitted, hour.omitted == 1 { full.append(tenant) }
        nextEnd = min(nextEnd, hour.end)
        hours[tenant] = hour
        return isAdmitted
    }

    /// The tenants whose first line was left out since the last call.
    mutating func takeFull() -> [TenantID] {
        defer { full = [] }
        return full
    }

    /// The tenants whose hour has ended, with the number of lines that were left out.
    mutating func takeEnded(_ now: Int64) -> [(tenant: TenantID, omitted: Int)] {
        if now < nextEnd { return [] }
        let ended = hours.filter { $0.value.end <= now }
        for tenant in ended.keys { hours[tenant] = nil }
        nextEnd = hours.values.map(\.end).min() ?? .max
        return ended.filter { $0.value.omitted > 0 }.map { ($0.key, $0.value.omitted) }
            .sorted { $0.tenant.description < $1.tenant.description }
    }
}
