import type { RunResult } from '../../run/result.ts'
import { listed } from './listed.ts'

/** What becomes of an acknowledged write, by the durability that a store declares. */
export const durabilityWords: Readonly<Record<string, string>> = {
  memory: 'in memory, lost when the server ends',
  buffered: 'buffered, survives a crash of the process but not of the machine',
  flushed: 'flushed to disk',
  replicated: 'on several machines',
}

/** What each store promises of an acknowledged write, if they promise different things; else nothing. */
export function durabilitiesOf({ stores }: Pick<RunResult, 'stores'>): string | undefined {
  const kinds = [...new Set(stores.map(({ durability }) => durability))]
  if (kinds.length < 2) return undefined
  const parts = kinds.map((kind) => {
    const names = stores.filter(({ durability }) => durability === kind).map(({ name }) => name)
    return `${listed(names)}: ${durabilityWords[kind] ?? kind}`
  })
  return `The stores promise different things of a write that they acknowledged. ${parts.join('; ')}.`
}
