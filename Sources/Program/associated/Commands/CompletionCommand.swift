// `associated completion`: scripts for bash, zsh and fish, generated from the same descriptions of the commands as the help. A
// script knows the options of every command, which of them take a value, and what kind of value. Text in a script is quoted for
// the shell that reads it.

import Association
import Supervision

extension Command {
    static let completion = Command(
        name: "completion", summary: "print completions for bash, zsh or fish",
        details: """
            Prints a completion script for a shell.

            bash 4 or later: add `source <(associated completion bash)` to ~/.bashrc.

            zsh: save the script as _associated in a directory of fpath.

            fish: save the script as ~/.config/fish/completions/associated.fish.
            """,
        operands: Operands(usage: "bash|zsh|fish", counts: 1...1), options: []
    ) { arguments in
        switch arguments.operands[0] {
        case "bash": Console.output(data: Array(Completion.bash.utf8))
        case "zsh": Console.output(data: Array(Completion.zsh.utf8))
        case "fish": Console.output(data: Array(Completion.fish.utf8))
        default:
            return .usage(saying: "no completions for \(arguments.operands[0]); name bash, zsh or fish")
        }
        return .success
    }
}

/// What completion offers at one place of a command line.
struct Completion {
    var words: [String] = []
    var hasFiles = false
    var hasFolders = false
    /// The names of the configuration's app files.
    var hasApps = false

    /// Whether there is nothing to offer.
    var isFree: Bool { words.isEmpty && !hasFiles && !hasFolders && !hasApps }

    init(of option: Command.Option) {
        self.init(placeholder: option.value ?? "")
        words += option.words
    }

    /// By the placeholder in the help: `DIR`, `FILE|HOST`, `[PATH…]`, `bash|zsh|fish`.
    init(placeholder: String) {
        for part in placeholder.split(separator: "|") {
            switch part.filter({ !"[]…".contains($0) }) {
            case "FILE", "PATH", "BEFORE", "AFTER": hasFiles = true
            case "DIR": hasFolders = true
            case "APP": (hasApps, hasFiles) = (true, true)
            case "RULE": words += RuleID.allCases.map(\.description)
            case let word where word.first?.isLowercase == true: words.append(String(word))
            default: break
            }
        }
    }

    private static var commands: [Command] { Program.commands }

    /// All options with a value, so that a script can tell values from operands.
    private static var valued: [String] {
        Set(commands.flatMap(\.options).filter { $0.value != nil }.map(\.name)).sorted()
    }

    /// Commands that fill COMPREPLY in bash. Readline completes files itself, because it handles quotes, spaces and slashes.
    private var bash: String {
        var steps: [String] = []
        if hasApps { steps.append("_associated_apps") }
        if !words.isEmpty { steps.append("_associated_words '\(words.joined(separator: " "))'") }
        if hasFiles { steps.append("compopt -o bashdefault -o default") }
        if hasFolders { steps.append("compopt -o filenames -o dirnames") }
        return steps.isEmpty ? ":" : steps.joined(separator: "; ")
    }

    private static let bashFunctions = #"""
        _associated_words() {
          local word
          for word in $1; do [[ $word == "$current"* ]] && COMPREPLY+=("$word"); done
        }
        _associated_apps() {
          local folder=config index file
          for ((index = 2; index < COMP_CWORD; index++)); do
            [[ ${COMP_WORDS[index]} == --config ]] && folder=${COMP_WORDS[index + 1]}
          done
          for file in "$folder"/apps/*.json "$folder"/apps/*.json5; do
            [[ -e $file ]] || continue
            file=${file##*/}
            _associated_words "${file%.*}"
          done
        }
        """#

    static var bash: String {
        let options = commands.flatMap { command in
            command.options.filter { $0.value != nil }.map { option in
                "    '\(command.name) \(option.name)') \(Completion(of: option).bash); return ;;"
            }
        }
        let names = commands.map { command in
            "    \(command.name)) options='\((command.options.map(\.name) + ["--help"]).joined(separator: " "))' ;;"
        }
        let operands = commands.flatMap { command in
            command.operandCompletions.enumerated().compactMap { index, operand -> String? in
                let isLast = index == command.operandCompletions.count - 1
                let pattern = isLast ? "'\(command.name) '*" : "'\(command.name) \(index)'"
                return operand.completion.isFree ? nil : "    \(pattern)) \(operand.completion.bash) ;;"
            }
        }
        return """
            # bash completion for associated: add `source <(associated completion bash)` to ~/.bashrc
            \(bashFunctions)
            _associated() {
              local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
              local options='' count=0 index
              COMPREPLY=()
              if ((COMP_CWORD == 1)); then
                _associated_words '\((commands.map(\.name) + ["--help", "--version"]).joined(separator: " "))'
                return
              fi
              # bash splits --option=value into three words.
              if [[ $current == '=' ]]; then
                current=''
              elif [[ $before == '=' ]]; then
                before=${COMP_WORDS[COMP_CWORD - 2]}
              fi
              case "$command $before" in
            \(options.joined(separator: "\n"))
              esac
              case "$command" in
            \(names.joined(separator: "\n"))
              esac
              if [[ $current == -* ]]; then
                _associated_words "$options"
                return
              fi
              for ((index = 2; index < COMP_CWORD; index++)); do
                case "${COMP_WORDS[index]}" in
                \(valued.joined(separator: "|"))) ((index++)); [[ ${COMP_WORDS[index]} == '=' ]] && ((index++)) ;;
                -*) ;;
                *) ((count++)) ;;
                esac
              done
              case "$command $count" in
            \(operands.joined(separator: "\n"))
              esac
            }
            complete -F _associated associated

            """
    }

    private static func zshQuoted(_ text: String) -> String {
        text.replacing("'", with: "'\\''")
    }

    /// Escapes a part of a specification for `_arguments`, in which brackets and colons are special.
    private static func zshEscaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "[]:\\".contains(character) { result += "\\" }
            result.append(character)
        }
    }

    private var zsh: String {
        let list = words.isEmpty ? nil : "(\(words.joined(separator: " ")))"
        let files = hasApps ? "_associated_apps" : hasFolders ? "_files -/" : hasFiles ? "_files" : nil
        switch (list, files) {
        case (let list?, nil): return list
        case (let list?, let files?):
            let both = "\"values\\:word\\:\(list)\" \"files\\:file\\:\(files)\""
            // With a leading space, _arguments does not add options of its own.
            return " _alternative \(both)"
        case (nil, let files?): return files
        case (nil, nil): return " "
        }
    }

    static var zsh: String {
        let names = commands.map { "    '\($0.name):\(zshQuoted(zshEscaped($0.summary)))'" }
        let cases = commands.map { command in
            let options = command.options.map { option in
                let star = option.isRepeatable ? "*" : ""
                let summary = zshQuoted(zshEscaped(option.summary))
                guard let value = option.value else { return "'\(option.name)[\(summary)]'" }
                let head = "\(star)\(option.name)=[\(summary)]"
                return "'\(head):\(zshEscaped(value)):\(Completion(of: option).zsh)'"
            }
            let operands = command.operandCompletions.enumerated().map { index, operand in
                let isLast = index == command.operandCompletions.count - 1
                return "'\(isLast ? "*" : "\(index + 1)"):\(zshEscaped(operand.placeholder)):\(operand.completion.zsh)'"
            }
            let lines = (options + ["'--help[show the help]'"] + operands).joined(separator: " \\\n      ")
            return "  \(command.name))\n    _arguments \\\n      \(lines) ;;"
        }
        return """
            #compdef associated
            # zsh completion for associated: save as _associated in a directory of fpath
            _associated_apps() {
              local folder=${${(Q)words[${words[(i)--config]} + 1]}:-config}
              local -a apps=($folder/apps/*.json(N:t:r) $folder/apps/*.json5(N:t:r))
              _alternative "apps:app:($apps)" 'files:file:_files'
            }
            _associated() {
              local -a commands=(
            \(names.joined(separator: "\n"))
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
            if [[ $funcstack[1] == _associated ]]; then
              _associated "$@"
            else
              compdef _associated associated
            fi

            """
    }

    private static func fishQuoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }

    /// The arguments of `complete` for such a value. fish offers files by default.
    private var fish: String {
        var offers = words
        if hasApps { offers.append("(__associated_apps)") }
        if hasFolders { offers.append("(__fish_complete_directories)") }
        let list = offers.isEmpty ? "" : " -a \(Completion.fishQuoted(offers.joined(separator: " ")))"
        return (hasFiles ? " -F" : " -f") + list
    }

    static var fish: String {
        var lines = [
            """
            # fish completion for associated: save as ~/.config/fish/completions/associated.fish
            function __associated_at
              set -l tokens (commandline -opc)
              test (count $tokens) -gt 1; and test "$tokens[2]" = $argv[1]
            end
            function __associated_operand
              __associated_at $argv[1]; or return 1
              set -l tokens (commandline -opc)
              set -l count 0
              set -l index 3
              while test $index -le (count $tokens)
                switch $tokens[$index]
                  case \(valued.joined(separator: " "))
                    set index (math $index + 1)
                  case '-*'
                  case '*'
                    set count (math $count + 1)
                end
                set index (math $index + 1)
              end
              test $count -eq $argv[2]; or test $count -gt $argv[2] -a "$argv[3]" = more
            end
            function __associated_apps
              set -l folder config
              set -l tokens (commandline -opc)
              if set -l index (contains -i -- --config $tokens)
                set folder $tokens[(math $index + 1)]
              end
              for file in $folder/apps/*.json $folder/apps/*.json5
                string replace -r '.*/(.*)\\.json5?$' '$1' $file
              end
            end
            complete -c associated -f
            """
        ]
        for command in commands {
            lines.append(
                "complete -c associated -n __fish_use_subcommand -a \(command.name) -d \(fishQuoted(command.summary))")
            for option in command.options {
                let value = option.value == nil ? "" : " -r\(Completion(of: option).fish)"
                let isLong = option.name.hasPrefix("--")
                let name = isLong ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
                lines.append(
                    "complete -c associated -n '__associated_at \(command.name)' \(name)"
                        + "\(value) -d \(fishQuoted(option.summary))")
            }
            for (index, operand) in command.operandCompletions.enumerated() where !operand.completion.isFree {
                let more = index == command.operandCompletions.count - 1 ? " more" : ""
                lines.append(
                    "complete -c associated -n '__associated_operand \(command.name) \(index)\(more)'"
                        + operand.completion.fish)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Command {
    /// The completions of its operands; the last one is used for all further operands.
    var operandCompletions: [(placeholder: String, completion: Completion)] {
        (operands?.usage ?? "").split(separator: " ").map { (String($0), Completion(placeholder: String($0))) }
    }
}
