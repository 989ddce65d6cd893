import { within } from '@unikv/core/adapter'
import type { Ending, Log } from '../log/log.ts'
import type { Fate, LogRecord } from '../log/record.ts'
import { Branch, type Trying } from './branch.ts'
import { Source } from './source.ts'

/** Hears of transactions that were finished, and of those that could not be. */
export interface Tally {
  readonly done: (fate: Fate) => void
  readonly left: (id: string, why: unknown) => void
}

/** The databases that take part in transactions, by name. */
export class Databases {
  readonly #log: Log
  readonly #sources: ReadonlyMap<string, Source>

  constructor(log: Log, stores: Readonly<Record<string, unknown>>) {
    this.#log = log
    const isOne = (entry: [string, unknown]): entry is [string, Source] => entry[1] instanceof Source
    this.#sources = new Map(Object.entries(stores).filter(isOne))
  }

  has(name: string): boolean {
    return this.#sources.has(name)
  }

  /** The branches of an attempt. Each begins with its first statement. */
  branches(trying: Trying, isolation: 'serializable' | 'snapshot'): readonly Branch[] {
    const level = isolation === 'snapshot' ? 'repeatable read' : 'serializable'
    return Array.from(this.#sources, ([name, source], part) => {
      const heal = (): Promise<void> => this.#finishLeft(source, within(source.leaseMs))
      return new Branch(name, source, { trying, part, isolation: source.isolation ?? level, heal })
    })
  }

  /** Finish a decided transaction in its databases. @throws if that cannot be done */
  async settle(id: string, { records }: LogRecord, fate: Fate, call: Ending): Promise<void> {
    for (const [name, source] of this.#sources)
      if (name in records)
        for (const { gid, id: other } of await source.prepared(call))
          if (other === id) await settle(source, gid, fate, call)
  }

  /** Finish all that was left prepared. */
  async finishLeft(call: Ending, tally: Tally): Promise<void> {
    for (const source of this.#sources.values()) await this.#finishLeft(source, call, tally)
  }

  /**
   * A transaction that is not decided is aborted once it is older than the lease. One that the log does not know belongs to another log: the
   * log hears of each one before it is prepared.
   */
  async #finishLeft(source: Source, call: Ending, tally?: Tally): Promise<void> {
    for (const { id, gid, ageMs } of await source.prepared(call)) {
      try {
        const state = (await this.#log.entry(id, call))?.value.state
        const fate = state === 'open' && ageMs >= source.leaseMs ? await this.#log.abort(id, call) : state
        if (fate === undefined || fate === 'open') continue
        await settle(source, gid, fate, call)
        tally?.done(fate)
      } catch (error) {
        tally?.left(id, error)
      }
    }
  }
}

async function settle(source: Source, gid: string, fate: Fate, call: Ending): Promise<void> {
  if (await source.settle(gid, fate === 'committed', call)) return
  throw new Error('A connection holds a prepared transaction of an SQL database.')
}
