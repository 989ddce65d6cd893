import type { RunResult } from '../../run/result.ts'
import { listed } from './listed.ts'

/** The guarantee for an acknowledged write, by the durability that a store declares. */
export const durabilityWords: Readonly<Record<string, string>> = {
  memory: 'in memory, lost when the server ends',
  buffered: 'buffered, survives a crash of the process but not of the machine',
  flushed: 'flushed to disk',
  replicated: 'on several machines',
}

/** The promise of each store for an acknowledged write, if the promises differ; otherwise nothing. */
export function durabilitiesOf({ stores }: Pick<RunResult, 'stores'>): string | undefined {
  const kinds = [...new Set(stores.map(({ durability }) => durability))]
  if (kinds.length < 2) return undefined
  const parts = kinds.map((kind) => {
    const names = stores.filter(({ durability }) => durability === kind).map(({ name }) => name)
    return `${listed(names)}: ${durabilityWords[kind] ?? kind}`
  })
  return `The stores promise different things of a write that they acknowledged. ${parts.join('; ')}.`
}
