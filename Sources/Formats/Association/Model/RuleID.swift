// The ids of all lint rules. They are cases, so a misspelt id does not compile. The explanation of each rule is in the rule tables
// of `AssociationLint`; a test compares the two.

/// The id of a lint rule, such as `AASA-019`. Ids are stable, because people ignore rules and search by id.
public enum RuleID: String, Hashable, Sendable, CaseIterable {
    case aasa001, aasa002, aasa003, aasa004, aasa005, aasa006, aasa007, aasa008, aasa009, aasa010, aasa011, aasa012,
        aasa013, aasa014, aasa015, aasa016, aasa017, aasa018, aasa019, aasa020, aasa021, aasa022, aasa023, aasa024,
        aasa025, aasa026, aasa027, aasa028, aasa029, aasa030, aasa031, aasa032, aasa033, aasa034, aasa035, aasa036,
        aasa037, aasa038, aasa039, aasa040, aasa041, aasa042, aasa043, aasa044, aasa045, aasa046, aasa047, aasa048,
        aasa049, aasa050, aasa051, aasa052, aasa053, aasa054, aasa055, aasa056, aasa057, aasa058, aasa059, aasa060,
        aasa061, aasa062, aasa063, aasa064, aasa065, aasa066, aasa067, aasa068, aasa069, aasa070, aasa071, aasa072,
        aasa073, aasa074, aasa075, aasa076, aasa077, aasa079, aasa081, aasa082
    case ahst001, ahst002, ahst003, ahst004, ahst005, ahst006, ahst007, ahst008, ahst009, ahst010, ahst011, ahst012,
        ahst013, ahst014, ahst015, ahst016, ahst017, ahst018, ahst019, ahst020, ahst021, ahst022, ahst023, ahst024,
        ahst025, ahst026, ahst027, ahst028, ahst029
    case dal001, dal002, dal003, dal004, dal005, dal006, dal007, dal008, dal009, dal010, dal011, dal012, dal013, dal014,
        dal015, dal016, dal017, dal018, dal019, dal020, dal021, dal022, dal023, dal024, dal025, dal026, dal027, dal028,
        dal029, dal030, dal031, dal032, dal033, dal034, dal035, dal036, dal037, dal038, dal039, dal040, dal041, dal042,
        dal043, dal044, dal045, dal046
    case ghst001, ghst002, ghst003, ghst004, ghst005, ghst006, ghst007, ghst008, ghst009, ghst010, ghst011, ghst012,
        ghst013, ghst014, ghst015, ghst016, ghst017, ghst018, ghst019, ghst020
    case app001, app002, app003, app004, app005, app006, app007, app008, app009, app010, app011, app012, app013, app014,
        app015, app016, app017, app018, app019, app020, app021, app022, app023, app024, app025, app026, app027, app028,
        app029, app030, app031, app032, app033, app034, app035, app036, app037, app038, app039, app040, app041, app042,
        app043, app045, app046, app047, app049,
        app050
    case srv001, srv002, srv003, srv004, srv005, srv006, srv007, srv008, srv009, srv010, srv011, srv012, srv013, srv014,
        srv015, srv016, srv017
    case cert001, cert002, cert003, cert004, cert005, cert006, cert007, cert008, cert009, cert010, cert011, cert012,
        cert013, cert014, cert015, cert016, cert017, cert018, cert019, cert020, cert021, cert022, cert023, cert024,
        cert025
    case cfg001, cfg002, cfg003, cfg004, cfg005, cfg006, cfg007, cfg008, cfg009, cfg010, cfg011, cfg012, cfg013,
        cfg014, cfg015, cfg016

    /// The severity of the rule's findings, unless a finding sets another one. A new rule does not compile without one: an error can keep
    /// a file out of service.
    public var severity: Severity {
        switch self {
        case .aasa001, .aasa002, .aasa003, .aasa005, .aasa010, .aasa012, .aasa014, .aasa015, .aasa016, .aasa018,
            .aasa019, .aasa021, .aasa028, .aasa031, .aasa032, .aasa033, .aasa034, .aasa043, .aasa060, .aasa061,
            .aasa062, .aasa070, .aasa074, .ahst001, .ahst002, .ahst003, .ahst004, .ahst005, .ahst010, .ahst011,
            .ahst014, .ahst016, .ahst021, .ahst022, .ahst023, .ahst025, .ahst029, .dal001, .dal002, .dal004, .dal005,
            .dal006, .dal008, .dal009, .dal010, .dal011, .dal012, .dal016, .dal021, .dal022, .dal024, .dal026,
            .dal027, .dal028, .dal029, .dal030, .dal036, .dal045, .dal046, .ghst001, .ghst002, .ghst003, .ghst004,
            .ghst006,
            .app001, .app002, .app003, .app004, .app005, .app006, .app007, .app008, .app016, .app018, .app019,
            .app020, .app022, .app024, .app025, .app026, .app028, .app033, .app034, .app041, .app042, .app045,
            .app046, .app050, .srv001, .srv007, .srv011, .srv016, .cert001, .cert002, .cert003, .cert004, .cert005,
            .cert006,
            .cert007, .cert008, .cert009, .cert010, .cert011, .cert012, .cert013, .cert024, .cert025, .cfg001,
            .cfg002, .cfg003, .cfg008, .cfg009, .cfg010:
            .error
        case .aasa004, .aasa006, .aasa007, .aasa008, .aasa011, .aasa017, .aasa020, .aasa022, .aasa023, .aasa025,
            .aasa026, .aasa029, .aasa030, .aasa035, .aasa036, .aasa037, .aasa038, .aasa039, .aasa041, .aasa042,
            .aasa044, .aasa045, .aasa046, .aasa048, .aasa050, .aasa051, .aasa052, .aasa053, .aasa054, .aasa057,
            .aasa058, .aasa059, .aasa063, .aasa064, .aasa066, .aasa068, .aasa069, .aasa071, .aasa072, .aasa073,
            .aasa075, .aasa076, .ahst006, .ahst008, .ahst009, .ahst012, .ahst013, .ahst017, .ahst018, .ahst019,
            .ahst020, .ahst024, .ahst026, .ahst027, .ahst028, .dal003, .dal007, .dal013, .dal015, .dal018, .dal019,
            .dal020, .dal023, .dal025, .dal031, .dal032, .dal033, .dal034, .dal035, .dal037, .dal038, .dal039, .dal041,
            .dal042, .dal043, .ghst005, .ghst007, .ghst008, .ghst009, .ghst010, .ghst011, .ghst013, .ghst014, .ghst015,
            .ghst016, .ghst017, .ghst018, .app010, .app011, .app012, .app013, .app014, .app017, .app021, .app023,
            .app029,
            .app031, .app035, .app036, .app037, .app038, .app040, .app047, .app049, .srv002, .srv003, .srv004, .srv005,
            .srv006, .srv008, .srv009, .srv010, .srv012, .srv013, .srv015, .srv017, .cert014, .cert015, .cert016,
            .cert017,
            .cert018, .cert019, .cert020, .cert021, .cert022, .cfg004, .cfg005, .cfg006, .cfg007, .cfg011, .cfg012,
            .cfg013, .cfg014, .cfg016:
            .warning
        case .aasa009, .aasa013, .aasa024, .aasa027, .aasa040, .aasa047, .aasa049, .aasa055, .aasa056, .aasa065,
            .aasa067, .aasa077, .aasa079, .aasa081, .aasa082, .ahst007, .ahst015, .dal014, .dal017, .dal040, .dal044,
            .ghst012, .ghst019, .ghst020, .app009, .app015, .app027, .app030, .app032, .app039, .app043, .srv014,
            .cert023, .cfg015:
            .note
        }
    }

    /// The rules for one kind of file or host: the letters of their ids.
    public enum Family: String, Sendable, CaseIterable {
        case apple = "AASA"
        case appleHosting = "AHST"
        case statements = "DAL"
        case androidHosting = "GHST"
        case appFile = "APP"
        case server = "SRV"
        case certificate = "CERT"
        case configuration = "CFG"
    }

    public var family: Family {
        let letters = rawValue.dropLast(3).uppercased()
        guard let family = Family(rawValue: letters) else {
            preconditionFailure("no family has the letters \(letters)")
        }
        return family
    }
}

extension RuleID: Comparable, LosslessStringConvertible {
    public static func < (left: RuleID, right: RuleID) -> Bool { left.rawValue < right.rawValue }

    public var description: String { "\(rawValue.dropLast(3).uppercased())-\(rawValue.suffix(3))" }

    public init?(_ id: String) {
        guard let rule = RuleID(rawValue: id.lowercased().filter { $0 != "-" }), rule.description == id else {
            return nil
        }
        self = rule
    }

    /// The rule that was probably meant by a mistyped id: the one with the same number, in a family with a similar name.
    public static func nearest(to id: String) -> RuleID? {
        let letters = String(id.prefix { $0.isLetter })
        guard let number = Int(id.drop { !$0.isNumber }),
            let family = NearestKey.find(letters, among: Family.allCases.map(\.rawValue))
        else { return nil }
        return allCases.first { $0.family.rawValue == family && Int($0.rawValue.suffix(3)) == number }
    }
}
