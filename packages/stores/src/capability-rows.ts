import { type Capabilities, type CapabilityKind, capabilityTable } from '@unikv/core'

/** The capabilities of a store as rows of a table, in the order in which they are explained. */
export const capabilityRows: Readonly<Record<string, (capabilities: Capabilities) => unknown>> =
  Object.fromEntries(Object.entries(capabilityTable).flatMap(([name, kind]) => rowsOf(name, kind)))

type Row = readonly [name: string, valueOf: (capabilities: Capabilities) => unknown]

function rowsOf(name: string, kind: CapabilityKind): readonly Row[] {
  const valueOf: Row[1] = (capabilities) => capabilities[name as keyof Capabilities] ?? false
  // Only layers say it.
  if (name === 'holds') return []
  if (!('parts' in kind)) return [[name, valueOf]]
  return Object.keys(kind.parts).map((part) => [
    `${name}.${part}`,
    (capabilities) => (valueOf(capabilities) as Readonly<Record<string, unknown>>)[part] ?? false,
  ])
}

/** A capability for people: yes, –, digits in groups. */
export function shown(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : '–'
  if (Array.isArray(value)) return value.join(', ') || 'none'
  if (typeof value === 'object') return Object.values(Object(value)).join(' to ')
  return typeof value === 'number' ? value.toLocaleString('en') : (value as string)
}
