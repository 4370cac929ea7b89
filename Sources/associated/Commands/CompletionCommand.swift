// `associated completion`: what the shells complete, from the same descriptions of the commands that make the help.

extension Command {
    static let completion = Command(
        name: "completion", summary: "print completions for bash, zsh or fish",
        details: """
            Prints a script for the shell that is named. bash 4 or later: `source <(associated completion bash)` in
            ~/.bashrc; zsh: into a file `_associated` in a folder of fpath; fish: into
            ~/.config/fish/completions/associated.fish.
            """,
        operands: Operands(usage: "bash|zsh|fish", counts: 1...1), options: []
    ) { arguments in
        switch arguments.operands[0] {
        case "bash": Console.output(data: Array(Completion.bash.utf8))
        case "zsh": Console.output(data: Array(Completion.zsh.utf8))
        case "fish": Console.output(data: Array(Completion.fish.utf8))
        default:
            return .usage(saying: "there are completions for bash, zsh and fish, and none for \(arguments.operands[0])")
        }
        return .success
    }
}
