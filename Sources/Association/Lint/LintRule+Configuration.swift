// The catalogue's rules for the server's own settings and for the pages it serves. They are found while it loads. A table:
// it reads best whole.

extension LintRule {
    static let configuration: [LintRule] = [
        LintRule(
            .cfg001, "the settings cannot be read",
            why: "Without its settings the server would listen elsewhere than it is asked to, so it does not start.",
            fix: "mend the line it names, or let the server's user read the file.", sources: [.inference],
            subject: .installation),
        LintRule(
            .cfg002, "an unknown setting",
            why: "It has no effect, and was meant to have one.",
            fix: "use the nearest known key, or remove it.", sources: [.inference], subject: .installation),
        LintRule(
            .cfg003, "a setting with a value that it cannot have",
            why: "It keeps its default, which is not what was asked for.",
            fix: "write a value of the kind and within the bounds that the message names.", sources: [.inference],
            subject: .installation),
        LintRule(
            .cfg004, "a page that cannot be served",
            why: "Its address answers 404; everything else is served.",
            fix: "let the server's user read it, make it a plain file inside public, or remove it.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg005, "a well-known file that cannot be served",
            why: "What was served stays; without that its address answers with what is rendered, or with 404.",
            fix: "let the server's user read it, and name its folder as the host is written in app files.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg006, "a packed page that is not used",
            why: "The page is served, packed by the server itself where it is small enough.",
            fix: "pack it again whenever the page has changed, or remove the packed file.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg007, "a landing page template that cannot be used",
            why: "Links whose app is not installed end on the page that the server has for every app.",
            fix: "mend the line it names; docs/hosting.md has the places that a template can have.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg008, "two names in apps/ that look the same",
            why: "They differ in how a character such as é is composed, and count as one: only one of them is served.",
            fix: "rename one of them.", sources: [.inference], subject: .installation),
        LintRule(
            .cfg009, "a private key among the files to serve",
            why: "Keys are never served, whatever their name and whatever link leads to them. The address answers 404.",
            fix: "remove the file. If others could read it, replace the key and revoke its certificate.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg010, "more files than a host's share, or than that of a folder of apps/",
            why:
                "One tenant must not take memory and time of all. What was served of the folder stays, and nothing new of it is "
                + "served.",
            fix: "remove files, or raise the key under limits that the message names; docs/limits.md has them.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg011, or: .note, "a host that no app file names",
            why:
                "A folder in hosts/ makes a host of its own, so a typing error in its name is served too. It is a note where no "
                + "app file names a host of a similar name.",
            fix: "rename the folder, or name the host in an app file; ignore it where only these files are meant.",
            sources: [.inference], subject: .installation),
        LintRule(
            .cfg012, "a file in retired/ beside a live app file of the same name",
            why: "It confirms the removal of the app file beforehand, so a deletion by mistake takes effect at once.",
            fix: "remove the file in retired/.", sources: [.inference], subject: .installation),
    ]
}
