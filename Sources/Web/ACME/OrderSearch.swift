// Finds an order whose URL is not known, because the process or the connection ended before the response. The account has a list
// of its orders (RFC 8555 §7.1.2.1), and each of them is read. Let's Encrypt has no such list, but returns the same order to a
// repeated request.

/// The search for an order of an account. Read `url`, and give the response to `take`.
struct OrderSearch: Sendable {
    enum Result: Hashable, Sendable {
        /// There is more to read.
        case incomplete
        case found(AuthorityURL)
        case notFound
    }

    private enum Resource {
        case account
        case list(AuthorityURL)
        case order(AuthorityURL)
    }

    private var resource = Resource.account
    private var pageCount = 0
    private var orderCount = 0
    /// Orders in the list that are not read yet. The newest is usually last.
    private var unread: [AuthorityURL] = []

    /// What to read next; nil for the account.
    var url: AuthorityURL? {
        switch resource {
        case .account: nil
        case .list(let url), .order(let url): url
        }
    }

    /// Takes the response for `url`.
    mutating func take(_ answer: AuthorityResponse, hosts: [String], isWanted: (AuthorityOrder) -> Bool) -> Result {
        switch resource {
        case .account:
            guard let list = answer.object?.url("orders") else { return .notFound }
            resource = .list(list)
            return .incomplete
        case .list:
            pageCount += 1
            unread += (answer.object?.strings("orders") ?? []).compactMap(AuthorityURL.init)
            if let next = answer.links("next").first, pageCount < AuthorityLimits.listPagesMax {
                resource = .list(next)
                return .incomplete
            }
        case .order(let url):
            if let order = try? AuthorityOrder(reading: answer, hosts: hosts), isWanted(order) { return .found(url) }
        }
        return skip()
    }

    /// Continues with the next order, because the authority refused the request for `url`.
    mutating func skip() -> Result {
        guard orderCount < AuthorityLimits.listedOrdersMax, let next = unread.popLast() else { return .notFound }
        orderCount += 1
        resource = .order(next)
        return .incomplete
    }
}
