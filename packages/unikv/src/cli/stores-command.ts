import { parseSize } from '@unikv/workload'
import { type Command, Option } from 'commander'
import { durabilities, isolations, type StoreQuery } from '../stores/find-stores.ts'
import { formatOf } from './bench-sizes-request.ts'
import { type Section, sectionsMarkdown, sectionsText } from './columns.ts'
import {
  comparisonSections,
  featuresHelp,
  storeJson,
  storeSections,
  storesJson,
  storesSections,
} from './stores.ts'
import type { Terminal } from './terminal.ts'

interface StoresOptions {
  readonly with?: readonly string[]
  readonly without?: readonly string[]
  readonly minValue?: string
  readonly minKey?: string
  readonly durability?: StoreQuery['durability']
  readonly isolation?: StoreQuery['isolation']
  readonly consistency?: string
  readonly json?: boolean
  readonly markdown?: boolean
}

/** Add `stores`, `stores show` and `stores compare`. `prepared` makes a command print to the terminal. */
export function storesCommand(
  command: Command,
  prepared: (command: Command) => Command,
  terminal: Terminal,
): void {
  const json = 'as data, for programs'
  const markdown = 'as Markdown, for documents'
  const print = (options: StoresOptions, sections: () => Section[], data: () => string): void =>
    terminal.out(printed(options, terminal, sections, data))
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
    .option('--markdown', markdown)
    .addHelpText('after', featuresHelp)
    .action((options: StoresOptions) => {
      const query = queryOf(options)
      print(
        options,
        () => storesSections(query),
        () => storesJson(query),
      )
    })
  prepared(command.command('show'))
    .description('everything about one store')
    .argument('<store>')
    .option('--json', json)
    .option('--markdown', markdown)
    .action((name: string, _options, self: Command) =>
      print(
        optionsOf(self),
        () => storeSections(name),
        () => storeJson([name]),
      ),
    )
  prepared(command.command('compare'))
    .description('stores side by side: what differs, and what does not')
    .argument('<stores...>')
    .option('--json', json)
    .option('--markdown', markdown)
    .action((names: readonly string[], _options, self: Command) =>
      print(
        optionsOf(self),
        () => comparisonSections(names),
        () => storeJson(names),
      ),
    )
}

function printed(
  { json = false, markdown = false }: StoresOptions,
  { width }: Terminal,
  sections: () => Section[],
  data: () => string,
): string {
  const format = formatOf({ json, markdown })
  if (format === 'json') return data()
  return format === 'markdown' ? sectionsMarkdown(sections()) : sectionsText(sections(), width)
}

/** `--json` and `--markdown` belong to `stores` too, which takes them first. */
function optionsOf(command: Command): StoresOptions {
  return command.optsWithGlobals<StoresOptions>()
}

function queryOf({
  minValue,
  minKey,
  json: _json,
  markdown: _markdown,
  ...query
}: StoresOptions): StoreQuery {
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
