import type { Command } from 'commander'
import { exitCodes } from '../exit-code.ts'
import { collect, numberIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'
import type { CheckOptions } from './check.ts'
import type { TransactionsOptions } from './transactions.ts'

interface CommandOptions extends Omit<CheckOptions & TransactionsOptions, 'timeout'> {
  readonly transactions?: true
  readonly timeout?: number
}

const examples = `
Examples:
  unikv check
  unikv check --config production.yaml --json
  unikv check --transactions --finish
  unikv check --transactions --log redis://127.0.0.1 --store accounts=postgres://me@db/app`

/** Add `unikv check`: the configuration is right, and its stores answer. With `--transactions` what is left of transactions. */
export function checkCommand(command: Command, terminal: Terminal, finish: (exitCode: number) => void): void {
  command
    .description('check the configuration, and ask each of its stores for an answer')
    .option('--config <file>', 'the configuration (default: unikv.config.* in this folder)')
    .option(
      '--timeout <seconds>',
      'how long to wait for an answer (default: 5, of transactions 60)',
      numberIn(0.1, 600),
    )
    .option('--json', 'print JSON')
    .option('--transactions', 'list the transactions that no process goes on with; fails if there are any')
    .option('--finish', 'commit or abort them, as their log decides')
    .option('--walk', 'look at each record of all stores, too, for those that no log knows; with --finish')
    .option('--lease <seconds>', 'how long a transaction may go on', numberIn(0.001, 600), 5)
    .option('--keys', 'show the keys of their records')
    .option('--log <url>', 'the log of transactions, without a configuration')
    .option('--store <name=place>', 'a store by the name that transactions() has for it; repeatable', collect)
    .option('--debug', 'show stack traces')
    .addHelpText('after', examples)
    .action(async ({ timeout, ...options }: CommandOptions) => {
      const { checkTransactions, refuseWithout } = await import('./transactions.ts')
      refuseWithout(options)
      if (options.transactions === true)
        return finish(await checkTransactions({ ...options, timeout: timeout ?? 60 }, terminal))
      const { check } = await import('./check.ts')
      if (!(await check({ ...options, timeout: timeout ?? 5 }, terminal))) finish(exitCodes.failure)
    })
}
