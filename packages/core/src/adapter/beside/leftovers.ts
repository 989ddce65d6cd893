import type { Bytes } from '../../contract/bytes.ts'
import { callOptions } from '../../contract/derive.ts'
import { isWritten } from '../../contract/entry.ts'
import type { Mutation, Store } from '../../contract/store.ts'
import { newVersion } from '../../contract/version.ts'
import { performance } from '../../platform/heartbeat.ts'
import { AbortController } from '../../platform/signals.ts'
import { clearTimeout, setTimeout } from '../../platform/timers.ts'
import { bounded } from '../attempt.ts'

/** How long a removal may take, in milliseconds. */
const timeoutMs = 10_000

/** Counted as it happens. */
export interface LeftoverCounts {
  /** Records that were removed. */
  partsRemoved: number
  /** Records that could not be removed. */
  partsLeft: number
}

/** Removes records that a layer kept beside a record which no longer names them. Failures are counted, and left to a sweep. */
export class Leftovers {
  readonly #inner: Store<Bytes>
  readonly #counts: LeftoverCounts
  readonly #background: (work: Promise<unknown>) => unknown
  readonly #underWay = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(inner: Store<Bytes>, counts: LeftoverCounts, background: (work: Promise<unknown>) => unknown) {
    this.#inner = inner
    this.#counts = counts
    this.#background = background
  }

  /** Remove these, after the answer. */
  remove(keys: readonly string[]): void {
    if (keys.length === 0) return
    const { maxItems } = this.#inner.capabilities.batch
    for (let i = 0; i < keys.length; i += maxItems) {
      const work = this.#remove(keys.slice(i, i + maxItems))
      this.#underWay.add(work)
      void work.then(() => this.#underWay.delete(work))
      this.#background(work)
    }
  }

  /** Resolves when nothing is being removed; what takes longer than this is ended, and left to a sweep. */
  async ended(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), graceMs)
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
    clearTimeout(timer)
  }

  async #remove(keys: readonly string[]): Promise<void> {
    const removed = await this.#tryToRemove(keys)
    this.#counts.partsRemoved += removed
    this.#counts.partsLeft += keys.length - removed
  }

  async #tryToRemove(keys: readonly string[]): Promise<number> {
    const call = callOptions({
      deadlineAt: performance.now() + timeoutMs,
      signal: this.#stop.signal,
    })
    const mutations = keys.map((key): Mutation<Bytes> => ({ type: 'delete', key, version: newVersion() }))
    try {
      const ask = async () => this.#inner.write(mutations, call)
      return (await bounded(call, true, ask, () => {})).filter(isWritten).length
    } catch {
      return 0
    }
  }
}
