// What owners mean for versions of app files: one that names another folder's host is a finding, and is not used.

package import Association
package import Settings
import SourceJSON
import Tenancy

extension HostOwners {
    func allows(_ good: AppRecord.GoodVersion?, at path: String) -> Bool {
        guard !isEmpty, let good else { return true }
        return (good.hosts + good.otherHosts).allSatisfy { allows($0, at: path) }
    }

    /// Findings about hosts that a version may not name. This includes its other environments, because a host that they name
    /// is not covered by wildcards either.
    package func findings(about reading: AppFileReading, file: String, at path: String) -> [Finding] {
        guard !isEmpty, let folder = TenantID.folder(ofApp: path), let app = reading.appFile else { return [] }
        let places = app.hosts.enumerated().map { ($1.text, app.ranges.hosts.dropFirst($0).first) }
        let all = places + reading.otherHosts.map { ($0.text, SourceRange?.none) }
        return all.filter { !allows($0.0, at: path) }.prefix(AppFindings.ofFileMax).map { host, range in
            // Advice to ask for another tenant's host would be followed one day.
            let isOthers = isOwned(host, byOtherThan: folder)
            let reason = isOthers ? "assigns it to another folder" : "does not assign it to the folder \(folder)"
            return Finding(
                rule: .app046, severity: .error, file: file, range: range,
                message:
                    "this file may not name \(host): `owners` in server.json \(reason); this version is not published",
                fix: isOthers
                    ? "remove the host"
                    : "remove the host, or ask the operator to add it to `owners.\(folder)`, which SIGHUP applies")
        }
    }
}
