import { parseSize } from '@unikv/workload'
import { type Command, Option } from 'commander'
import { durabilities, isolations, type StoreQuery } from '../stores/find-stores.ts'
import { comparisonText, featuresHelp, storeJson, storesJson, storesText, storeText } from './stores.ts'
import type { Terminal } from './terminal.ts'

interface StoresOptions {
  readonly with?: readonly string[]
  readonly without?: readonly string[]
  readonly minValue?: string
  readonly minKey?: string
  readonly durability?: StoreQuery['durability']
  readonly isolation?: StoreQuery['isolation']
  readonly consistency?: string
  readonly json?: true
}

/** Add `stores`, `stores show` and `stores compare`. `prepared` makes a command print to the terminal. */
export function storesCommand(
  command: Command,
  prepared: (command: Command) => Command,
  { out }: Terminal,
): void {
  const json = 'as data, for programs'
  command
    .description('what each store can do, what it costs, and which ones fit a need')
    .option('--with <features>', 'stores that can do all of these', list)
    .option('--without <features>', 'and none of these', list)
    .option('--min-value <size>', 'values of at least so many bytes, such as 10M')
    .option('--min-key <size>', 'keys of at least so many bytes')
    .addOption(
      new Option('--durability <level>', 'acknowledged writes survive at least this').choices(durabilities),
    )
    .addOption(new Option('--isolation <level>', 'at least this isolation').choices(isolations))
    .option('--consistency <level>', 'a level that calls may ask for, such as quorum')
    .option('--json', json)
    .addHelpText('after', featuresHelp)
    .action((options: StoresOptions) => out((options.json ? storesJson : storesText)(queryOf(options))))
  prepared(command.command('show'))
    .description('everything about one store')
    .argument('<store>')
    .option('--json', json)
    .action((name: string, _options, self: Command) =>
      out(isJson(self) ? storeJson([name]) : storeText(name)),
    )
  prepared(command.command('compare'))
    .description('stores side by side: what differs, and what does not')
    .argument('<stores...>')
    .option('--json', json)
    .action((names: readonly string[], _options, self: Command) =>
      out(isJson(self) ? storeJson(names) : comparisonText(names)),
    )
}

/** `--json` belongs to `stores` too, which takes it first. */
function isJson(command: Command): boolean {
  return command.optsWithGlobals<StoresOptions>().json === true
}

function queryOf({ minValue, minKey, json: _, ...query }: StoresOptions): StoreQuery {
  return {
    ...query,
    minValueBytes: minValue === undefined ? undefined : parseSize(minValue),
    minKeyBytes: minKey === undefined ? undefined : parseSize(minKey),
  }
}

function list(value: string, earlier: readonly string[] = []): string[] {
  return [
    ...earlier,
    ...value
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ]
}
