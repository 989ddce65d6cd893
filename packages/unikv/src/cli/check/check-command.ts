import type { Command } from 'commander'
import { exitCodes } from '../exit-code.ts'
import { numberIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import type { CheckOptions } from './check.ts'

/** Add `unikv check`: the configuration is right, and its stores answer. */
export function checkCommand(command: Command, terminal: Terminal, finish: (exitCode: number) => void): void {
  command
    .description('check the configuration, and ask each of its stores for an answer')
    .option('--config <file>', 'the configuration (default: unikv.config.* in this folder)')
    .option('--timeout <seconds>', 'how long to wait for an answer', numberIn(0.1, 600), 5)
    .option('--json', 'print JSON')
    .option('--debug', 'show stack traces')
    .addHelpText('after', '\nExamples:\n  unikv check\n  unikv check --config production.yaml --json')
    .action(async (options: CheckOptions) => {
      const { check } = await import('./check.ts')
      if (!(await check(options, terminal))) finish(exitCodes.failure)
    })
}
