// The search for an order in the account's list.

import Testing

@testable import ACME

struct OrderSearchTests {
    private static func order(
        _ host: String, _ status: String = "pending", _ more: String = ""
    ) -> AuthorityResponse {
        .json(
            200,
            """
            { "status": "\(status)", "identifiers": [{ "type": "dns", "value": "\(host)" }], "authorizations": [],
              "finalize": "https://ca.example/finalize/1"\(more) }
            """)
    }

    private static func list(_ numbers: some Sequence<Int>, next: Int? = nil) -> AuthorityResponse {
        let urls = numbers.map { "\"https://ca.example/order/\($0)\"" }.joined(separator: ", ")
        return .json(
            200, "{ \"orders\": [\(urls)] }",
            next.map { [("Link", "<https://ca.example/orders/\($0)>;rel=\"next\"")] } ?? [])
    }

    private static let account = AuthorityResponse.json(200, #"{ "orders": "https://ca.example/orders/0" }"#)

    /// The URLs that are read, and the result.
    private func search(
        _ respond: (String) -> AuthorityResponse?
    ) -> (read: [String], result: OrderSearch.Result) {
        var (search, read) = (OrderSearch(), [String]())
        while true {
            let path = search.url.map { String($0.text.dropFirst("https://ca.example".utf8.count)) } ?? "account"
            read.append(path)
            let result =
                respond(path).map { search.take($0, hosts: ["shop.example"]) { $0.status == .pending } }
                ?? search.skip()
            if result != .incomplete || read.count > 1000 { return (read, result) }
        }
    }

    @Test func `reads all pages, then the orders from the last one`() throws {
        let (read, result) = search { path in
            switch path {
            case "account": Self.account
            case "/orders/0": Self.list([1, 2], next: 1)
            case "/orders/1": Self.list([3, 4, 5])
            case "/order/5": Self.order("shop.example", "invalid")
            case "/order/4": .json(200, "no order")
            case "/order/3": Self.order("news.example")
            default: Self.order("shop.example")
            }
        }
        #expect(read == ["account", "/orders/0", "/orders/1", "/order/5", "/order/4", "/order/3", "/order/2"])
        #expect(result == .found(try address("https://ca.example/order/2")))
    }

    @Test func `continues with the next order if the authority refuses a request`() throws {
        let (read, result) = search { path in
            switch path {
            case "account": Self.account
            case "/orders/0": Self.list([1, 2], next: 1)
            case "/order/1": Self.order("shop.example")
            default: nil
            }
        }
        #expect(read == ["account", "/orders/0", "/orders/1", "/order/2", "/order/1"])
        #expect(result == .found(try address("https://ca.example/order/1")))
    }

    @Test(arguments: [
        nil, AuthorityResponse.json(200, "{}"), .json(200, "none"), .json(200, #"{ "orders": "http://ca.example/" }"#),
    ])
    func `finds nothing if the account has no list`(account: AuthorityResponse?) {
        let (read, result) = search { _ in account }
        #expect(read == ["account"] && result == .notFound)
    }

    @Test func `reads a limited number of pages and orders`() {
        let (read, result) = search { path in
            switch path {
            case "account": Self.account
            case let page where page.hasPrefix("/orders/"): Self.list(0..<60, next: 1)
            default: Self.order("news.example")
            }
        }
        #expect(result == .notFound)
        #expect(read.count { $0.hasPrefix("/orders/") } == AuthorityLimits.listPagesMax)
        #expect(read.count { $0.hasPrefix("/order/") } == AuthorityLimits.listedOrdersMax)
    }
}
