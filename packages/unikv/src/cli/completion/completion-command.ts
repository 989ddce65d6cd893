import { Argument, type Command } from 'commander'
import type { Terminal } from '../terminal.ts'
import { commandTree } from './command-tree.ts'
import { bashScript, fishScript, zshScript } from './scripts.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Add `unikv completion SHELL`: a script with which the shell completes commands and options. */
export function completionCommand(command: Command, program: Command, { out }: Terminal): void {
  command
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(scripts)))
    .addHelpText(
      'after',
      `
Examples:
  bash   echo 'source <(unikv completion bash)' >> ~/.bashrc
  zsh    echo 'source <(unikv completion zsh)' >> ~/.zshrc
  fish   unikv completion fish > ~/.config/fish/completions/unikv.fish`,
    )
    .action((shell: keyof typeof scripts) => out(scripts[shell](commandTree(program))))
}
