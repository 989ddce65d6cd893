import type { StoreFacts } from '@unikv/core/adapter'
import { capabilityRows, shown } from '../src/capability-rows.ts'
import { features } from '../src/features.ts'

/** What the page says of all stores: the capabilities that decide, with default options first. */
export function overview(stores: readonly StoreFacts[]): string {
  const rows = [
    'conditionalWrite',
    'conditionalRead',
    'ttl.kind',
    'touch',
    'increment',
    'scan.order',
    'maxKeyBytes',
    'maxValueBytes',
    'durability',
    'isolation',
  ] as const
  const lines = stores.map((store) => [
    `[${store.title}](#${anchor(store.title)})`,
    ...rows.map((row) => values(store, row).join(', ')),
  ])
  return table(['', ...rows.map((row) => `\`${row}\``)], lines)
}

/** Everything about one store. */
export function section(store: StoreFacts): string {
  const { title, adapter, drivers, urls, variants, costs, consistency, sources, testedOn, notes } = store
  const rows = Object.keys(capabilityRows).map((row) => [`\`${row}\``, values(store, row).join(', ')])
  const by = drivers.length === 0 ? '' : `, by ${drivers.map((driver) => `\`${driver}\``).join(' or ')}`
  const options = variants.map((variant) => variant.options).filter((text) => text !== '')
  return [
    `## ${title}`,
    `\`${adapter}\`${by}. ${urls.map((url) => `\`${url}\``).join(', ')}`,
    `Tested on ${testedOn}.${options.length === 0 ? '' : ` Other options that change capabilities: ${options.map((text) => `\`${text}\``).join('; ')}.`}`,
    notes.map((note) => `- ${note}`).join('\n'),
    table(['capability', 'default, then with other options'], rows),
    table(
      ['operation', 'requests to the store'],
      Object.entries(costs).map(([name, cost]) => [name, cost]),
    ),
    Object.keys(consistency).length === 0
      ? ''
      : table(
          ['consistency', 'means'],
          Object.entries(consistency).map(([level, means]) => [`\`${level}\``, means]),
        ),
    sources.length === 0 ? '' : `Sources: ${sources.map((url) => `<${url}>`).join(', ')}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** What can be asked for by name. */
export function featureTable(): string {
  return table(
    ['feature', 'means'],
    Object.entries(features).map(([name, { means }]) => [`\`${name}\``, means]),
  )
}

function values({ variants }: StoreFacts, row: string): readonly string[] {
  const valueOf = capabilityRows[row] as (typeof capabilityRows)[string]
  return [...new Set(variants.map(({ capabilities }) => shown(valueOf(capabilities))))]
}

/** As the usual renderers of Markdown name the anchors of headings. */
export function anchor(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

/** A table of Markdown. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n')
}
