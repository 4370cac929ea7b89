// The findings of the comparison of the platforms.

import Association

@testable import AssociationLint

extension AppFile {
    /// Findings about URLs that the platforms handle differently.
    func platformFindings() -> [Finding] { PlatformComparison(self, source: sourceMatcher).findings() }
}
