import type { CompletedCommand } from './command-tree.ts'

/** For bash: the words of the command that was typed so far, the values of the option before, or files. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ path, subcommands, values, options }) => {
    const words = [...subcommands, ...values, ...options.map(({ name }) => name)].join(' ')
    return `    '${path.join(' ')}') offers='${words}' ;;`
  })
  const values = commands.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, choices }) => `    '${[...path, name].join(' ')}') ${valueReply(choices)}; return ;;`),
  )
  const paths = commands.map(({ path }) => path.join(' ')).join('|')
  // No `path` and no `words`: zsh has variables of these names. Names of files may have spaces, so lines are split.
  return `# Completion of unikv. Made by: unikv completion bash
_unikv_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$1"))
  compopt -o filenames 2>/dev/null || true
}
_unikv() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' word next offers=''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do
    next="\${place:+$place }$word"
    case '|${paths}|' in *"|$next|"*) place="$next" ;; esac
  done
  case "\${place:+$place }$previous" in
${values.join('\n')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
  [ \${#COMPREPLY[@]} -gt 0 ] || _unikv_files "$current"
}
complete -F _unikv unikv
`
}

/** For zsh: the function of bash, which zsh can run. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  return `autoload -U +X compinit && compinit -u
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands).replace('unikv completion bash', 'unikv completion zsh')}`
}

/** For fish: one line for each command and option, with its description. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ path, subcommands, values: known, options }) => {
    const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`)
    const unseen =
      subcommands.length === 0 ? [] : [`not __fish_seen_subcommand_from ${subcommands.join(' ')}`]
    const here = path.length === 0 ? unseen : [...seen, ...unseen]
    const below = subcommands.map((name) => {
      const { description = '' } =
        commands.find((one) => one.path.join(' ') === [...path, name].join(' ')) ?? {}
      return line([...seen, ...unseen], `-f -a ${name}`, description)
    })
    const own = options.map(({ name, description, takesValue, choices }) => {
      const values = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : takesValue ? ' -r' : ''
      return line(here, `-l ${name.slice(2)}${values}`, description)
    })
    const values = known.length === 0 ? [] : [line(here, `-f -a '${known.join(' ')}'`, 'argument')]
    return [...below, ...values, ...own]
  })
  return `# Completion of unikv. Made by: unikv completion fish\n${lines.join('\n')}\n`
}

function valueReply(choices: readonly string[]): string {
  return choices.length === 0
    ? '_unikv_files "$current"'
    : `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current"))`
}

function line(conditions: readonly string[], what: string, description: string): string {
  const condition = conditions.length === 0 ? '' : ` -n '${conditions.join('; and ')}'`
  return `complete -c unikv${condition} ${what} -d '${description.replaceAll(/['\\]/g, '\\$&')}'`
}
