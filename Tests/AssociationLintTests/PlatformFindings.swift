// What a comparison of the platforms finds.

import Association
import AssociationSamples

@testable import AssociationLint

extension AppFile {
    /// Where the platforms will decide differently although the rules are stated once.
    func platformFindings() -> [Finding] { PlatformComparison(self, source: sourceMatcher).findings() }
}
