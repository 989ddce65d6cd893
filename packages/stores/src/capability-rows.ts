import type { Capabilities } from '@unikv/core'

/** The capabilities of a store as rows of a table, in the order in which they are explained. */
export const capabilityRows: Readonly<Record<string, (capabilities: Capabilities) => unknown>> = {
  'scan.order': ({ scan }) => scan && scan.order,
  'scan.delivery': ({ scan }) => scan && scan.delivery,
  'scan.prefix': ({ scan }) => scan && scan.prefix,
  'scan.reverse': ({ scan }) => scan && scan.reverse === true,
  conditionalWrite: ({ conditionalWrite }) => conditionalWrite,
  conditionalRead: ({ conditionalRead }) => conditionalRead,
  'ttl.kind': ({ ttl }) => ttl && ttl.kind,
  'ttl.precisionMs': ({ ttl }) => ttl && ttl.precisionMs,
  touch: ({ touch }) => touch,
  increment: ({ increment }) => increment,
  'batch.atomicity': ({ batch }) => batch.atomicity,
  'batch.maxItems': ({ batch }) => batch.maxItems,
  'batch.maxBytes': ({ batch }) => batch.maxBytes,
  'batch.coalesce': ({ batch }) => batch.coalesce && `${batch.coalesce.min} to ${batch.coalesce.max}`,
  maxKeyBytes: ({ maxKeyBytes }) => maxKeyBytes,
  maxValueBytes: ({ maxValueBytes }) => maxValueBytes,
  durability: ({ durability }) => durability,
  isolation: ({ isolation }) => isolation,
  consistency: ({ consistency }) => consistency.join(', ') || 'none',
  existed: ({ existed }) => existed === true,
  evicts: ({ evicts }) => evicts,
  sealed: ({ sealed }) => sealed,
  documents: ({ documents }) => documents,
  find: ({ find }) => find === true,
  deltas: ({ deltas }) => deltas === true,
  sync: ({ sync }) => sync,
}

/** A capability for people: yes, –, digits in groups. */
export function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : '–'
  return typeof value === 'number' ? value.toLocaleString('en') : String(value)
}
