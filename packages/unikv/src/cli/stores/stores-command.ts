import { parseSize } from '@unikv/bench/words'
import { durabilities, factsHelp, featuresHelp, isolations, type StoreQuery } from '@unikv/stores/lazy'
import { type Command, Option } from 'commander'
import { type Section, sectionsMarkdown, sectionsText } from '../columns.ts'
import { collect, list, numberIn } from '../option-values.ts'
import { formatOf } from '../output-format.ts'
import { printable } from '../printable.ts'
import type { Terminal } from '../terminal.ts'
import type { AdviseOptions } from './advise.ts'
import type { Knowledge } from './knowledge.ts'
import type * as StoresModule from './stores.ts'

type Stores = typeof StoresModule
type Sections = (stores: Stores, knowledge: Knowledge) => Section[]
type Data = (stores: Stores, knowledge: Knowledge) => string

interface StoresOptions {
  readonly with?: readonly string[]
  readonly without?: readonly string[]
  readonly minValue?: string
  readonly minKey?: string
  readonly durability?: StoreQuery['durability']
  readonly isolation?: StoreQuery['isolation']
  readonly consistency?: string
  readonly require?: readonly string[]
  readonly facts?: string
  readonly json?: boolean
  readonly markdown?: boolean
}

type Print = (options: StoresOptions, sections: Sections, data: Data) => Promise<void>

/** Add `stores` and its commands. `prepared` makes a command print to the terminal. */
export function storesCommand(
  command: Command,
  prepared: (command: Command) => Command,
  terminal: Terminal,
): void {
  const print: Print = async (options, sections, data) =>
    terminal.out(printable(await printed(options, terminal, sections, data), terminal.width))
  forAll(command)
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
    .option('--require <facts>', 'only stores of which these facts hold or are not known', list)
    .addHelpText('after', () => featuresHelp() + factsHelp())
    .action((options: StoresOptions) => {
      const query = queryOf(options)
      const sections: Sections = (stores, knowledge) => stores.storesSections(query, knowledge)
      return print(options, sections, (stores, knowledge) => stores.storesJson(query, knowledge))
    })
  forAll(prepared(command.command('show')))
    .description('show everything about one store')
    .argument('<store>')
    .action((name: string, _options, self: Command) =>
      print(
        optionsOf(self),
        (stores, knowledge) => stores.storeSections(name, knowledge),
        (stores, knowledge) => stores.storeJson([name], knowledge),
      ),
    )
  forAll(prepared(command.command('compare')))
    .description('compare stores side by side')
    .argument('<stores...>')
    .action((names: readonly string[], _options, self: Command) =>
      print(
        optionsOf(self),
        (stores, knowledge) => stores.comparisonSections(names, knowledge),
        (stores, knowledge) => stores.storeJson(names, knowledge),
      ),
    )
  scenariosCommand(forAll(prepared(command.command('scenarios'))), print)
  adviseCommand(prepared(command.command('advise')), terminal)
}

/** `stores scenarios`, with the options of the others. */
function scenariosCommand(command: Command, print: Print): void {
  command
    .description('general scenarios for evaluations, and the facts that let a store fall out of them')
    .argument('[scenario]')
    .action(async (name: string | undefined, _options, self: Command) => {
      const { scenarioSections, scenariosJson, scenariosSections } = await import('./scenarios.ts')
      const sections: Sections = (_, knowledge) =>
        name === undefined ? scenariosSections() : scenarioSections(name, knowledge)
      return print(optionsOf(self), sections, () => scenariosJson(name))
    })
}

/** `stores advise`: its options are its own. */
function adviseCommand(command: Command, terminal: Terminal): void {
  command
    .description(
      'what would help a store to carry a load: an index, a cache, more connections; nothing is changed',
    )
    .argument('[store]', 'URL of a store, or its name in unikv.config.*; without one: tactics by product')
    .option('--config <file>', 'the configuration, for a store by its name')
    .option('--reads <rate>', 'reads a second', numberIn(0, 1e9))
    .option('--writes <rate>', 'writes a second', numberIn(0, 1e9))
    .option(
      '--query <attributes=rate>',
      'native queries by attributes, a second: ip=20, or "ip,at in payments=5"',
      collect,
    )
    .option('--value-size <size>', 'size of a value, such as 2K')
    .option('--read-time <time>', 'how long a read takes (default: some are tried)')
    .option('--percentile <number>', 'the share of the calls that is promised', numberIn(1, 100), 99)
    .option('--below <time>', 'the promise: this share of the calls takes less', '10ms')
    .addHelpText(
      'after',
      `
Examples:
  unikv stores advise postgres://me@db/app --reads 500 --below 1ms
  unikv stores advise payments --query ip=20 --writes 200 --below 10ms`,
    )
    .action(async (place: string | undefined, _: unknown, self: Command) => {
      const { adviseOn } = await import('./advise.ts')
      await adviseOn(place, self.optsWithGlobals<AdviseOptions>(), terminal)
    })
}

/** The options that all but `advise` have. */
function forAll(command: Command): Command {
  return command
    .option('--facts <file>', 'stores and facts of your own, in a file of YAML or JSON')
    .option('--json', 'print JSON')
    .option('--markdown', 'print Markdown')
}

/** The facts of all stores load all adapters: the other commands do without. */
async function printed(
  { json = false, markdown = false, facts, require }: StoresOptions,
  { width }: Terminal,
  sections: Sections,
  data: Data,
): Promise<string> {
  const format = formatOf({ json, markdown })
  const stores = await import('./stores.ts')
  const { knowledgeOf } = await import('./knowledge.ts')
  const knowledge = await knowledgeOf(facts, require)
  if (format === 'json') return data(stores, knowledge)
  const shown = sections(stores, knowledge)
  return format === 'markdown' ? sectionsMarkdown(shown) : sectionsText(shown, width)
}

/** `--facts`, `--json` and `--markdown` belong to `stores` too, which takes them first; its other options are not for `command`. */
function optionsOf(command: Command): StoresOptions {
  const { facts, json, markdown, ...others } = command.optsWithGlobals<StoresOptions>()
  const [ignored] = Object.keys(others)
  if (ignored !== undefined) {
    const option = command.parent?.options.find((one) => one.attributeName() === ignored)
    command.error(
      `error: option '${option?.flags}' is for unikv stores, not for unikv stores ${command.name()}`,
    )
  }
  return { json: json === true, markdown: markdown === true, ...(facts === undefined ? {} : { facts }) }
}

function queryOf({
  minValue,
  minKey,
  require: _require,
  facts: _facts,
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
