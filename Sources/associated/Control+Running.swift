// The parts of a running server that one thread keeps in order.

import Catalogue
import Engine
import Hosting
import Posix
import TLS

extension Control {
    /// What there is to manage.
    struct Running: Sendable {
        let engine: Engine
        let published: PublishedCatalogue
        let tenants: Tenants
        let certificates: CertificateStore?
        let surveyor: CertificateSurveyor?
        let tickets: TicketKeys?
        let supervisor: Supervisor
        let log: ReloadLog
        let confinement: Confinement
        let standing: ServerStanding
        let overseeing: Oversight.Running
    }
}
