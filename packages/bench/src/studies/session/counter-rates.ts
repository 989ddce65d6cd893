import type { ServerStatistics } from '@unikv/core'

/** Numbers that servers tell as they are, and their names. */
const amounts = {
  connections: 'connections',
  memoryBytes: 'memory bytes',
  storedBytes: 'stored bytes',
  diskUsedBytes: 'disk bytes',
  records: 'records',
} as const

/** Numbers that count since a server started: of interest is their rise in a second. */
const counters = {
  operations: 'operations/s',
  cacheHits: 'cache hits/s',
  cacheMisses: 'cache misses/s',
  evictions: 'evictions/s',
  expirations: 'expirations/s',
  receivedBytes: 'bytes in/s',
  sentBytes: 'bytes out/s',
} as const

/** The statistics of a store as numbers over time. */
export class CounterRates {
  readonly #name: string
  #before: { readonly told: ServerStatistics; readonly atMs: number } | undefined

  /** @param name begins the names of all numbers */
  constructor(name: string) {
    this.#name = name
  }

  /** The numbers by their names. A counter that fell, as its server was started again, is left out once. */
  reading(told: ServerStatistics, atMs: number): ReadonlyMap<string, number> {
    const before = this.#before
    this.#before = { told, atMs }
    const found = new Map<string, number>()
    const set = (name: string, value: number | undefined): void => {
      if (value !== undefined && value >= 0) found.set(`${this.#name} ${name}`, value)
    }
    for (const [field, name] of entriesOf(amounts)) set(name, told[field])
    if (before === undefined || atMs <= before.atMs) return found
    for (const [field, name] of entriesOf(counters)) {
      const [then, now] = [before.told[field], told[field]]
      if (then !== undefined && now !== undefined) set(name, ((now - then) / (atMs - before.atMs)) * 1_000)
    }
    return found
  }
}

function entriesOf<T extends object>(names: T): readonly [keyof T, string][] {
  return Object.entries(names) as [keyof T, string][]
}
