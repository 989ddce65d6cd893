import { durabilities, featuresHelp, isolations, type StoreQuery } from '@unikv/stores/lazy'
import { parseSize } from '@unikv/workload/data'
import { type Command, Option } from 'commander'
import { type Section, sectionsMarkdown, sectionsText } from '../columns.ts'
import { list } from '../option-values.ts'
import { formatOf } from '../output-format.ts'
import type * as StoresModule from './stores.ts'
import type { Terminal } from '../terminal.ts'

type Stores = typeof StoresModule
type Sections = (stores: Stores) => Section[]
type Data = (stores: Stores) => string

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
  const json = 'print JSON'
  const markdown = 'print Markdown'
  const print = async (options: StoresOptions, sections: Sections, data: Data): Promise<void> =>
    terminal.out(await printed(options, terminal, sections, data))
  command
    .description('show what stores can do and cost, and find those that fit your needs')
    .option('--with <features>', 'only stores with all of these features', list)
    .option('--without <features>', 'only stores with none of these features', list)
    .option('--min-value <size>', 'only stores that allow values of this size, such as 10M')
    .option('--min-key <size>', 'only stores that allow keys of this size')
    .addOption(
      new Option(
        '--durability <level>',
        'only stores whose acknowledged writes survive at least this',
      ).choices(durabilities),
    )
    .addOption(
      new Option('--isolation <level>', 'only stores with at least this isolation').choices(isolations),
    )
    .option('--consistency <level>', 'only stores with this consistency level, such as quorum')
    .option('--json', json)
    .option('--markdown', markdown)
    .addHelpText('after', featuresHelp)
    .action((options: StoresOptions) => {
      const query = queryOf(options)
      const sections: Sections = (stores) => stores.storesSections(query)
      return print(options, sections, (stores) => stores.storesJson(query))
    })
  prepared(command.command('show'))
    .description('show everything about one store')
    .argument('<store>')
    .option('--json', json)
    .option('--markdown', markdown)
    .action((name: string, _options, self: Command) =>
      print(
        optionsOf(self),
        (stores) => stores.storeSections(name),
        (stores) => stores.storeJson([name]),
      ),
    )
  prepared(command.command('compare'))
    .description('compare stores side by side')
    .argument('<stores...>')
    .option('--json', json)
    .option('--markdown', markdown)
    .action((names: readonly string[], _options, self: Command) =>
      print(
        optionsOf(self),
        (stores) => stores.comparisonSections(names),
        (stores) => stores.storeJson(names),
      ),
    )
}

/** What is known of all stores loads all adapters: the other commands do without. */
async function printed(
  { json = false, markdown = false }: StoresOptions,
  { width }: Terminal,
  sections: Sections,
  data: Data,
): Promise<string> {
  const format = formatOf({ json, markdown })
  const stores = await import('./stores.ts')
  if (format === 'json') return data(stores)
  return format === 'markdown' ? sectionsMarkdown(sections(stores)) : sectionsText(sections(stores), width)
}

/** `--json` and `--markdown` belong to `stores` too, which takes them first; its other options are not for `command`. */
function optionsOf(command: Command): StoresOptions {
  const { json, markdown, ...others } = command.optsWithGlobals<StoresOptions>()
  const [ignored] = Object.keys(others)
  if (ignored !== undefined) {
    const option = command.parent?.options.find((one) => one.attributeName() === ignored)
    command.error(
      `error: option '${option?.flags}' is for unikv stores, not for unikv stores ${command.name()}`,
    )
  }
  return { ...(json ? { json } : {}), ...(markdown ? { markdown } : {}) }
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
