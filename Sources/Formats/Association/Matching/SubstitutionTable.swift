// The values of `$(name)`: the file's own variables, then the predefined ones (reference A.6.8).

import SourceJSON

/// Resolves variables to the patterns of their values.
package struct SubstitutionTable: Sendable {
    /// One of the file's own variables.
    private struct Variable {
        /// Without those that refer to another variable.
        let values: [String]
        let dropsValues: Bool
        let bringsSlash: Bool
        let isBare: Bool
        let bytes: Int
        /// Compiled for exact and for folded comparison.
        let exact, folded: GlobElement

        init(_ variable: SubstitutionVariable) {
            values = variable.values.filter { !SubstitutionTable.refersToVariable($0) }
            dropsValues = values.count < variable.values.count
            bringsSlash = values.contains { $0.isEmpty || $0.begins(with: "/") || $0.ends(with: "/") }
            isBare = variable.isBare
            bytes = variable.values.reduce(0) { $0 + $1.utf8.count }
            exact = SubstitutionTable.compile(values, folds: false)
            folded = SubstitutionTable.compile(values, folds: true)
        }
    }

    private let custom: [ExactText: Variable]
    /// Whether a predefined name has priority over the file's own: the other reading.
    private var prefersPredefined = false
    /// Whether variables that were written as one string count as undefined: the other reading.
    private var dropsBare = false

    package init(_ variables: [SubstitutionVariable]) {
        // The last of duplicate names counts, as for every key of a file.
        let last = Dictionary(variables.map { (ExactText($0.name), $0) }) { _, last in last }
        custom = last.mapValues(Variable.init)
    }

    /// The same table in the reading in which a predefined name keeps its meaning.
    package var preferringPredefined: SubstitutionTable {
        var table = self
        table.prefersPredefined = true
        return table
    }

    /// The same table in the reading in which a string instead of an array defines nothing.
    package var droppingBare: SubstitutionTable {
        var table = self
        table.dropsBare = true
        return table
    }

    package static let predefinedNames = Set(PredefinedVariable.allCases.map(\.rawValue))

    /// The file's own values of a variable, without those that refer to another variable.
    package func values(of name: String) -> [String]? { custom[ExactText(name)]?.values }

    package var isEmpty: Bool { custom.isEmpty }

    /// The bytes of all values of one of the file's own variables.
    package func bytes(ofValuesOf name: String) -> Int { custom[ExactText(name)]?.bytes ?? 0 }

    package func shadowsPredefined(_ name: String) -> Bool {
        Self.predefinedNames.contains(name) && custom[ExactText(name)] != nil
    }

    /// Whether it was written as one string.
    package func isBare(_ name: String) -> Bool { custom[ExactText(name)]?.isBare == true }

    /// Whether a value refers to another variable.
    package func dropsValues(of name: String) -> Bool { custom[ExactText(name)]?.dropsValues == true }

    /// Whether a value is empty or has a slash at an end, where those of a pattern are normalised.
    package func bringsSlash(_ name: String) -> Bool { custom[ExactText(name)]?.bringsSlash == true }

    /// The element for a variable; an undefined one never matches.
    package func element(for name: String, folds: Bool) -> GlobElement {
        let predefined = PredefinedVariable(rawValue: name)
        if let own = custom[ExactText(name)], !(dropsBare && own.isBare), !(prefersPredefined && predefined != nil) {
            return folds ? own.folded : own.exact
        }
        return predefined.map { Self.element(for: $0, folds: folds) } ?? .never
    }

    private static func compile(_ values: [String], folds: Bool) -> GlobElement {
        var plain: [[UInt8]] = []
        var patterns: [[GlobElement]] = []
        for value in values {
            let elements = GlobPattern.elements(of: ParsedPattern(value), folds: folds, table: nil)
            switch (elements.first, elements.count) {
            case (nil, _): plain.append([])
            case (.literal(let bytes), 1): plain.append(bytes)
            default: patterns.append(elements)
            }
        }
        return .choice(GlobChoice(plain: ByteTrie(plain), patterns: patterns))
    }

    private static func refersToVariable(_ value: String) -> Bool {
        guard value.utf8.contains(UInt8(ascii: "$")) else { return false }
        let tokens = PatternToken.tokens(of: value)
        return tokens.contains { token in
            switch token {
            case .variable, .broken: true
            case .scalar, .any, .star: false
            }
        }
    }

    private static func element(for variable: PredefinedVariable, folds: Bool) -> GlobElement {
        switch variable {
        case .region: return .choice(folds ? foldedRegions : regions)
        case .lang: return .choice(folds ? foldedLanguages : languages)
        default:
            let bytes = variable.characters.utf8
            return .oneOf(folds ? ByteSet(bytes.map(\.lowercasedASCII)) : ByteSet(bytes))
        }
    }

    // Each code in upper and in lower case, but not in mixed case.
    private static let regions = choice(ISOCodes.regions, folds: false)
    private static let foldedRegions = choice(ISOCodes.regions, folds: true)
    private static let languages = choice(ISOCodes.languages, folds: false)
    private static let foldedLanguages = choice(ISOCodes.languages, folds: true)

    private static func choice(_ codes: [String], folds: Bool) -> GlobChoice {
        let lowered = codes.map { $0.utf8.map(\.lowercasedASCII) }
        let raised = codes.map { code in code.utf8.map { $0.isLetter ? $0 & 0xDF : $0 } }
        return GlobChoice(plain: ByteTrie(folds ? lowered : lowered + raised), patterns: [])
    }
}

/// The variables that Apple defines.
enum PredefinedVariable: String, CaseIterable {
    case alpha, upper, lower, alnum, digit, xdigit, region, lang

    /// The characters that it stands for; none for the two that stand for a code of several characters.
    var characters: String {
        let (upper, lower) = ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
        let digits = "0123456789"
        return switch self {
        case .alpha: upper + lower
        case .upper: upper
        case .lower: lower
        case .alnum: upper + lower + digits
        case .digit: digits
        case .xdigit: digits + "ABCDEFabcdef"
        case .region, .lang: ""
        }
    }
}

/// Region and language codes, in the case of their standards.
package enum ISOCodes {
    /// ISO 3166-1 alpha-2, and the reserved codes AC, CP, CQ, DG, EA, IC, TA and XK.
    package static let regions = words(
        """
        AC AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW
        BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CP CQ CR CU CV CW CX CY CZ DE DG DJ DK DM DO DZ EA EC EE EG EH ER
        ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU IC ID IE
        IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC
        MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE
        PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV
        SX SY SZ TA TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK
        YE YT ZA ZM ZW
        """)

    /// ISO 639: two letters where a language has them, else three.
    package static let languages = words(
        """
        aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
        en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it
        iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt
        my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl
        sm sn so sq sr ss st su sv sw ta te tg th ti tk tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za
        zh zu
        ace ach ada ady aeb afh agq ain akk akz ale aln alt ang anp apw arc arn aro arp arq ars arw ary arz asa ase
        ast avk awa bal ban bar bas bax bbc bbj bej bem ber bew bez bfd bfq bgc bgn bho bik bin bjn bkm bla blo bpy
        bqi bra brh brx bss bua bug bum byn byv cad car cay cch ccp ceb cgg chb chg chk chm chn cho chp chr chy cic
        ckb cop cps crh csb csw dak dar dav del den dgr din dje doi dsb dtp dua dum dyo dyu dzg ebu efi egl egy eka
        elx enm esu ewo ext fan fat fil fit fon frc frm fro frp frr frs fur gaa gag gan gay gba gbz gez gil glk gmh
        goh gom gon gor got grb grc gsw guc gur guz gwi hai hak haw hif hil hit hmn hsb hsn hup iba ibb ilo inh izh
        jam jbo jgo jmc jpr jrb jut kaa kab kac kaj kam kaw kbd kbl kcg kde kea ken kfo kgp kha kho khq khw kiu kkj
        kln kmb koi kok kos kpe krc kri krj krl kru ksb ksf ksh kum kut kxv lad lag lah lam lez lfn lij liv lkt lmo
        lol loz lrc ltg lua lui lun luo lus lut luy lzh lzz mad maf mag mai mak man mas mde mdf mdh mdr men mer mfe
        mga mgh mgo mic mid min mis mnc mni moh mos mrj mua mul mus mwl mwr mwv mye myv mzn nan nap naq nds new nia
        niu njo nmg nnh nnp nog non nov nqo nso nus nwc nym nyn nyo nzi osa ota otk oui pag pal pam pap pau pcd pcm
        pdc pdt peo pfl phn pms pnt pon pqm prg pro quc qug raj rap rar rej rgn rhg rif rof rom rtm rue rug rup rwk
        sad sah sam saq sas sat saz sba sbp scn sco sdc sdh see seh sei sel ses sga sgs shi shn shu sid sjd sje sju
        sli sly sma smj smn sms snk sog srn srr ssy stq suk sus sux swb syc syr szl tcy tem teo ter tet tig tiv tkl
        tkr tlh tli tly tmh tog tok tpi tru trv tsd tsi ttt tum tvl twq tyv tzm udm uga umb vai vec vep vls vmf vmw
        vot vro vun wae wal war was wbp wuu xal xmf xnr xog yao yap yav ybb yrl yue zap zbl zea zen zgh zun zxx zza
        """)

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}

/// The names of a file's variables, collected once for all its patterns.
struct VariableNames {
    private let own: Set<ExactText>
    /// The names that an undefined one is compared with; a file may define thousands.
    let compared: [String]

    private static let comparedMax = 100

    init(_ variables: [SubstitutionVariable]) {
        own = Set(variables.map { ExactText($0.name) })
        compared = variables.prefix(Self.comparedMax).map(\.name) + SubstitutionTable.predefinedNames.sorted()
    }

    func contain(_ name: String) -> Bool {
        own.contains(ExactText(name)) || SubstitutionTable.predefinedNames.contains(name)
    }
}
