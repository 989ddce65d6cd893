import type { Capabilities } from '@unikv/core'

/** A layer, and the capabilities of a store in it. */
export interface Row {
  readonly title: string
  readonly capabilities: Capabilities
}

const rows: Readonly<Record<string, (capabilities: Capabilities) => unknown>> = {
  '`scan.order`': ({ scan }) => scan && scan.order,
  '`scan.delivery`': ({ scan }) => scan && scan.delivery,
  '`scan.prefix`': ({ scan }) => scan && scan.prefix,
  '`conditionalWrite`': ({ conditionalWrite }) => conditionalWrite,
  '`conditionalRead`': ({ conditionalRead }) => conditionalRead,
  '`ttl.kind`': ({ ttl }) => ttl && ttl.kind,
  '`ttl.precisionMs`': ({ ttl }) => ttl && ttl.precisionMs,
  '`touch`': ({ touch }) => touch,
  '`increment`': ({ increment }) => increment,
  '`batch.atomicity`': ({ batch }) => batch.atomicity,
  '`batch.maxItems`': ({ batch }) => batch.maxItems,
  '`batch.maxBytes`': ({ batch }) => batch.maxBytes,
  '`batch.coalesce`': ({ batch }) => batch.coalesce && `${batch.coalesce.min} to ${batch.coalesce.max}`,
  '`maxKeyBytes`': ({ maxKeyBytes }) => maxKeyBytes,
  '`maxValueBytes`': ({ maxValueBytes }) => maxValueBytes,
  '`durability`': ({ durability }) => durability,
  '`isolation`': ({ isolation }) => isolation,
  '`consistency`': ({ consistency }) => consistency.join(', ') || 'none',
  '`evicts`': ({ evicts }) => evicts,
  '`sealed`': ({ sealed }) => sealed,
  '`documents`': ({ documents }) => documents,
  '`deltas`': ({ deltas = false }) => deltas,
  '`sync`': ({ sync }) => sync,
}

/** What layers change of the capabilities of the store below. */
export function layerTable(below: Capabilities, layers: readonly Row[]): string {
  return table(
    ['layer', 'changes'],
    layers.map(({ title, capabilities }) => [title, changes(below, capabilities).join(', ') || 'nothing']),
  )
}

function changes(below: Capabilities, above: Capabilities): readonly string[] {
  return Object.entries(rows).flatMap(([title, valueOf]) => {
    const before = shown(valueOf(below))
    const after = shown(valueOf(above))
    return before === after ? [] : [`${title}: ${after}`]
  })
}

function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : '–'
  return typeof value === 'number' ? value.toLocaleString('en') : String(value)
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n')
}
