import { type Command, Option } from 'commander'
import { wholeIn } from '../option-values.ts'
import type { Terminal } from '../terminal.ts'

const storeArgument = 'URL of a store, or its name in unikv.config.*'

/** Add `get`, `set`, `delete`, `scan` and `count`. `own` makes a command print to the terminal; `finish` sets the exit code. */
export function dataCommands(
  program: Command,
  own: (command: Command) => Command,
  terminal: Terminal,
  finish: (exitCode: number) => void,
): void {
  const command = (name: string, description: string): Command =>
    placed(own(program.command(name)).description(description).argument('<store>', storeArgument))
  readingCommands(command, terminal, finish)
  changingCommands(command, terminal)
}

type NewCommand = (name: string, description: string) => Command

function readingCommands(command: NewCommand, terminal: Terminal, finish: (exitCode: number) => void): void {
  command('get', 'print the values of keys')
    .argument('<keys...>')
    .option('--out <file>', 'write the value of one key to a file, as it is')
    .addHelpText(
      'after',
      examples('unikv get users ada', 'unikv get redis://127.0.0.1 picture --as bytes --out a.png'),
    )
    .action(async (store: string, keys: string[], options: object) => {
      const { get } = await import('./reading.ts')
      finish(await get(store, keys, options, terminal))
    })
  command('scan', 'list keys, one a line')
    .option('--prefix <text>', 'only keys that begin with this')
    .option('--from <key>', 'only this key and those after it; needs a store with an order')
    .option('--to <key>', 'only keys before this one')
    .option('--limit <n>', 'at most so many', wholeIn(1, Number.MAX_SAFE_INTEGER))
    .option('--reverse', 'from the last to the first')
    .option('--values', 'values too, after a tab')
    .addHelpText(
      'after',
      examples('unikv scan users --prefix a --limit 10', 'unikv scan redis://127.0.0.1 --values --json'),
    )
    .action(async (store: string, options: object) => {
      const { scan } = await import('./reading.ts')
      finish(await scan(store, options, terminal))
    })
  command('count', 'count records')
    .option('--prefix <text>', 'only keys that begin with this')
    .addHelpText('after', examples('unikv count users'))
    .action(async (store: string, options: object) => {
      const { count } = await import('./reading.ts')
      await count(store, options, terminal)
    })
}

function changingCommands(command: NewCommand, terminal: Terminal): void {
  command('set', 'store a value')
    .argument('<key>')
    .argument('[value]', 'the value; - for standard input')
    .option('--file <file>', 'the value is the contents of this file')
    .option('--ttl <time>', 'time to live, such as 30s, 5m, 24h or 30d')
    .option('--if-absent', 'only if there is no record with this key')
    .option('--if-version <version>', 'only if the record has this version: see get --json')
    .addHelpText(
      'after',
      examples(`unikv set users ada '{"name":"Ada"}' --ttl 24h`, 'unikv set lmdb:./data note - < note.txt'),
    )
    .action(async (store: string, key: string, value: string | undefined, options: object) => {
      const { set } = await import('./changing.ts')
      await set(store, key, value, options, terminal)
    })
  command('delete', 'remove records: keys by name, or after a question all with a prefix')
    .argument('[keys...]')
    .option('--prefix <text>', 'all records whose keys begin with this')
    .option('--all', 'all records of this place')
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('unikv delete users ada bob', 'unikv delete sessions --prefix old/ --yes'))
    .action(async (store: string, keys: string[], options: object) => {
      const { remove } = await import('./changing.ts')
      await remove(store, keys, options, terminal)
    })
}

/** Options that say which records are meant. */
function placed(command: Command): Command {
  return command
    .option('--config <file>', 'the configuration that has the name (default: unikv.config.* in this folder)')
    .option('--namespace <name>', 'only the records of this namespace')
    .option('--dataset <name>', 'the dataset of a URL')
    .addOption(
      new Option('--as <form>', 'what values of a URL are (default: text)').choices([
        'text',
        'json',
        'bytes',
      ]),
    )
    .option('--json', 'print JSON lines')
    .option('--debug', 'show stack traces')
}

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
