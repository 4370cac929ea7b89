// QR codes module by module, as other encoders make them (segno and qrcode of PyPI, with the same mask). That readers read them is
// tested in QRCommandTests.

import Testing

@testable import QRCode

struct QRCodeTests {
    /// A text with padding, so that data, padding and correction are all in it.
    private static let small = """
        #######.#.##..#######
        #.....#..####.#.....#
        #.###.#...#...#.###.#
        #.###.#.#####.#.###.#
        #.###.#.###.#.#.###.#
        #.....#.##..#.#.....#
        #######.#.#.#.#######
        ........##.#.........
        #...#.###..#######..#
        #.##....#.##....###..
        #.#...#.#....#####.#.
        .#..##.#.#..##.......
        ...#####....##.###.#.
        ........####.##.####.
        #######.#....#.###.#.
        #.....#...#....#....#
        #.###.#.#.####..##...
        #.###.#..#.....##.###
        #.###.#..##...####...
        #.....#..#.#.#.......
        #######.#.###....#..#
        """

    @Test func `a short link has the modules that other encoders give it`() throws {
        let code = try #require(QRCode("https://a.test"))
        let rows = (0..<code.size).map { row in
            String((0..<code.size).map { code.isDark(column: $0, row: row) ? "#" : "." })
        }
        #expect(rows.joined(separator: "\n") == Self.small)
        #expect(!code.isDark(column: -1, row: 0) && !code.isDark(column: 0, row: code.size))
    }

    /// FNV-1a of the modules of a code that is full, for each version.
    private static let digests: [(level: QRCode.Level, digests: [UInt32])] = [
        (
            .low,
            [
                0xDA77_D155, 0x56BD_6D65, 0x56DC_E432, 0x8780_24EE, 0x020A_66A9, 0xD081_A653, 0x8A89_BF47, 0xC149_4AED,
                0x5DB3_56F7, 0x5477_0B99, 0xE0BF_0F20, 0x41CF_F5D0, 0xA34C_0573, 0x00AC_EB41, 0x3243_E6B7, 0x0620_5B3C,
                0xF66B_F069, 0xAA34_CF59, 0x9EE6_8891, 0x453A_7BE9, 0xE52E_5A83, 0x3D3C_D255, 0x04C9_47B7, 0x513A_B08B,
                0xA5B8_B71D, 0x2EFE_AD41, 0x4090_FB1D, 0x4673_5C94, 0xFD4D_6D8B, 0x31B1_2C07, 0x4FAF_FD56, 0x66A2_439E,
                0xE789_9B62, 0x5452_9543, 0x5209_7EA1, 0x53F7_6373, 0x57FE_BE57, 0x6753_CFA7, 0xB484_2FD5, 0x6FF7_C5D7,
            ]
        ),
        (
            .medium,
            [
                0xAFCD_F413, 0x7CA5_D999, 0xB44A_84E6, 0x3F92_F588, 0x128E_AC8B, 0xF0D9_44D5, 0xFB6F_3323, 0x8FC2_F70F,
                0xD260_78A9, 0x2497_13D5, 0x2BE4_95A3, 0x36C2_0C58, 0x35EA_8DFB, 0xEB89_FEEF, 0xB449_823C, 0xB33E_B3B0,
                0xFD54_7603, 0xB0CD_A1D7, 0xD0B6_4E5D, 0x6ADE_439B, 0x8BDC_C249, 0x390F_9E1F, 0x8556_A1F5, 0x367C_96C1,
                0xB60C_4E6D, 0x7778_6039, 0xFEE3_6979, 0x8C8B_15F0, 0x8B04_C497, 0x1D66_6378, 0xA096_C89F, 0x763A_C2A9,
                0xF6C7_050C, 0xF6E5_9E93, 0xF789_4761, 0x763A_34B9, 0x85E8_C7C5, 0x7FA0_1C11, 0xA53F_B9F3, 0x0946_B721,
            ]
        ),
    ]

    @Test(arguments: digests, 1...40)
    func `each version has the modules that other encoders give it`(
        _ table: (level: QRCode.Level, digests: [UInt32]), version: Int
    ) throws {
        let count = Blocks(version: version, table.level).bytesMax
        let text = String(repeating: "https://shop.example/products/", count: 99).utf8.prefix(count)
        let code = try #require(QRCode(Array(text), table.level))
        #expect(code.version == version)
        let digest = code.modules.reduce(0x811C_9DC5) { (digest: UInt32, isDark) in
            (digest ^ (isDark ? 1 : 0)) &* 0x0100_0193
        }
        #expect(digest == table.digests[version - 1])
    }

    @Test(arguments: [
        (0, 1, QRCode.Level.medium), (14, 1, .medium), (15, 2, .medium), (2331, 40, .medium), (2332, 36, .low),
        (QRCode.bytesMax, 40, .low),
    ])
    func `the smallest version is used, at level M while one is left`(
        count: Int, version: Int, level: QRCode.Level
    ) throws {
        let code = try #require(QRCode(String(repeating: "a", count: count)))
        #expect((code.version, code.level, code.size) == (version, level, 17 + 4 * version))
    }

    @Test(arguments: [QRCode.bytesMax + 1, 8192])
    func `there is no code for a longer text`(count: Int) {
        #expect(QRCode(String(repeating: "a", count: count)) == nil)
    }

    /// A square of 11 in which two rows alternate. A line of equal modules has 3 + 6 points, a square of four 3, what looks like a
    /// finder pattern 40, and a share of 100 % dark or light 100.
    @Test(arguments: [
        ("###########", "###########", 22 * 9 + 100 * 3 + 100), ("...........", "...........", 22 * 9 + 100 * 3 + 100),
        ("#.#.#.#.#.#", ".#.#.#.#.#.", 0), ("#####.....#", ".....#####.", 11 * 2 * 3),
        ("#.###.#....", "#.###.#....", 11 * 40 + 11 * 9 + 5 * 10 * 3),
        ("....#.###.#", "....#.###.#", 11 * 40 + 11 * 9 + 5 * 10 * 3),
    ])
    func `what is hard to read has points, in rows and in columns`(even: String, odd: String, points: Int) {
        let rows = (0..<11).map { Array($0 % 2 == 0 ? even : odd) }
        let places = (0..<121).map { ($0 / 11, $0 % 11) }
        for modules in [places.map { rows[$0.0][$0.1] == "#" }, places.map { rows[$0.1][$0.0] == "#" }] {
            #expect(QRCode(version: 1, level: .low, size: 11, modules: modules).penalty == points)
        }
    }

    @Test func `an image has a run of dark modules in each piece of its path, and its title escaped`() throws {
        let lines = QRCode(
            version: 1, level: .low, size: 3, modules: [true, true, false, false, false, false, true, false, true]
        )
        .svg(title: "a&b<c>").split(separator: "\n")
        #expect(
            lines == [
                #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 11 11" role="img" shape-rendering="crispEdges">"#,
                "<title>a&amp;b&lt;c&gt;</title>", ##"<rect width="11" height="11" fill="#fff"/>"##,
                #"<path d="M4,4h2v1h-2zM4,6h1v1h-1zM6,6h1v1h-1z"/>"#, "</svg>",
            ])
    }

    @Test func `a terminal shows two rows in each line, light modules as blocks`() {
        let code = QRCode(
            version: 1, level: .low, size: 3, modules: [true, true, false, false, true, false, true, false, true])
        let light = String(repeating: "█", count: 11)
        let last = String(repeating: "▀", count: 11)
        let lines = [light, light, "████▄ █████", "████▄█▄████", light, last]
        #expect(code.text(isColored: false) == lines.map { "\($0)\n" }.joined())
        #expect(code.text(isColored: true) == lines.map { "\u{1B}[97m\u{1B}[40m\($0)\u{1B}[0m\n" }.joined())
    }
}
