// `associated completion` and `associated manual`: what shells and man pages want to know, from the same descriptions of the
// commands that make the help.

extension Command {
    static let completion = Command(
        name: "completion", summary: "print completions for bash, zsh or fish",
        details: """
            Prints a script for the shell that is named. bash: `source <(associated completion bash)`; zsh: into a file `_associated` in fpath;
            fish: into ~/.config/fish/completions/associated.fish.
            """,
        operands: Operands(usage: "bash|zsh|fish", counts: 1...1), options: []
    ) { arguments in
        switch arguments.operands[0] {
        case "bash": Console.output(data: Array(bash.utf8))
        case "zsh": Console.output(data: Array(zsh.utf8))
        case "fish": Console.output(data: Array(fish.utf8))
        default:
            return .usage(saying: "there are completions for bash, zsh and fish, and none for \(arguments.operands[0])")
        }
        return .success
    }

    static let manual = Command(
        name: "manual", summary: "print the manual page",
        details: "Prints a page for man: `associated manual > associated.1`.", options: []
    ) { _ in
        Console.output(data: Array(page.utf8))
        return .success
    }

    private static var bash: String {
        let cases = Program.commands.map { command in
            "    \(command.name)) words=\"\((command.options.map(\.name) + ["--help"]).joined(separator: " "))\" ;;"
        }
        return """
            _associated() {
              local words="\(Program.commands.map(\.name).joined(separator: " "))"
              if [ "$COMP_CWORD" -gt 1 ]; then
                case "${COMP_WORDS[1]}" in
            \(cases.joined(separator: "\n"))
                *) words="" ;;
                esac
                case "${COMP_WORDS[COMP_CWORD]}" in
                -*) ;;
                *) COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); return ;;
                esac
              fi
              COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
            }
            complete -F _associated associated

            """
    }

    private static var zsh: String {
        func quoted(_ text: String) -> String {
            text.replacing("'", with: "'\\''").replacing(":", with: "\\:").replacing("[", with: "\\[")
                .replacing("]", with: "\\]")
        }
        let commands = Program.commands.map { "    '\($0.name):\(quoted($0.summary))'" }
        let cases = Program.commands.map { command in
            let options = command.options.map { option in
                let star = option.isRepeatable ? "*" : ""
                return "'\(star)\(option.name)[\(quoted(option.help))]\(option.value.map { ":\($0):_files" } ?? "")'"
            }
            return "    \(command.name)) _arguments \((options + ["'*:file:_files'"]).joined(separator: " ")) ;;"
        }
        return """
            #compdef associated
            _associated() {
              local -a commands=(
            \(commands.joined(separator: "\n"))
              )
              if (( CURRENT == 2 )); then
                _describe command commands
                return
              fi
              shift words
              (( CURRENT-- ))
              case $words[1] in
            \(cases.joined(separator: "\n"))
              esac
            }
            _associated "$@"

            """
    }

    private static var fish: String {
        func quoted(_ text: String) -> String {
            "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }
        var lines = ["complete -c associated -n __fish_use_subcommand -f"]
        for command in Program.commands {
            lines.append(
                "complete -c associated -n __fish_use_subcommand -a \(command.name) -d \(quoted(command.summary))")
            for option in command.options {
                let value = option.value == nil ? "" : " -r"
                lines.append(
                    "complete -c associated -n '__fish_seen_subcommand_from \(command.name)' -l "
                        + "\(option.name.dropFirst(2)) -d \(quoted(option.help))\(value)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static var page: String {
        func roff(_ text: String) -> String {
            text.replacing("\\", with: "\\e").replacing("-", with: "\\-").split(
                separator: "\n", omittingEmptySubsequences: false
            )
            .map { $0.hasPrefix(".") || $0.hasPrefix("'") ? "\\&\($0)" : "\($0)" }.joined(separator: "\n")
        }
        var text = """
            .TH ASSOCIATED 1 "" "associated \(Product.version)"
            .SH NAME
            associated \\- host the files that bind domains to mobile apps
            .SH SYNOPSIS
            .B associated
            COMMAND [OPTION…]
            .SH COMMANDS

            """
        for command in Program.commands {
            text += ".SS \(command.name)\(command.operands.map { " \(roff($0.usage))" } ?? "")\n"
            text += roff(command.details).replacing("\n\n", with: "\n.PP\n") + "\n"
            for option in command.options {
                let value = option.value.map { " \($0)" } ?? ""
                let variable = option.variable.map { " (environment: \($0))" } ?? ""
                text += ".TP\n.B \(roff(option.name + value))\n\(roff(option.help + variable))\n"
            }
        }
        return text + """
            .SH EXIT STATUS
            0 fine, 1 a check failed or something could not be done, 2 wrong usage, 70 a bug, 71 want of memory.

            """
    }
}
