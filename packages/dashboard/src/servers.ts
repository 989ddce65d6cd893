import { isStoreError } from '@unikv/core'
import { type AnyStack, adapterOf, within } from '@unikv/core/adapter'
import { monotonicClock, wallClock } from '@unikv/core/platform'
import type { LiveProcess, ServerFeatures } from '@unikv/monitor/recorder'
import type { ShownManager } from './options.ts'

type Told = Readonly<Record<string, ServerFeatures>>

/** So long an answer of a server stands for the next ones. */
const askedEveryMs = 30_000
/** Longest time of an answer. */
const patienceMs = 5_000

/**
 * Servers of the stores, as the recorders of processes ask them. One that no recorder has asked is asked here, by a single request: a store whose
 * page is opened without an application shows what it holds.
 */
export class Servers {
  #own: Told = {}
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  /** The newest answer of each server. */
  async features(processes: readonly LiveProcess[], manager: ShownManager): Promise<Told> {
    const newest: Record<string, ServerFeatures> = {}
    const all = [...processes.map(({ servers }) => servers), manager.recorder?.features().servers ?? {}]
    for (const told of all)
      for (const [store, one] of Object.entries(told))
        if ((newest[store]?.at ?? 0) <= one.at) newest[store] = one
    const others = Object.entries(manager.stores as Readonly<Record<string, AnyStack>>).filter(
      ([name]) => newest[name] === undefined,
    )
    if (others.length > 0) await this.#look(others)
    return { ...this.#own, ...newest }
  }

  async #look(stores: readonly (readonly [string, AnyStack])[]): Promise<void> {
    if (monotonicClock() - this.#askedAt >= askedEveryMs) {
      this.#askedAt = monotonicClock()
      this.#asking = this.#ask(stores)
    }
    await this.#asking
  }

  async #ask(stores: readonly (readonly [string, AnyStack])[]): Promise<void> {
    const answers = await Promise.all(stores.map(async ([name, kv]) => [name, await told(kv)] as const))
    this.#own = Object.fromEntries(answers.flatMap(([name, one]) => (one === undefined ? [] : [[name, one]])))
  }
}

async function told(kv: AnyStack): Promise<ServerFeatures | undefined> {
  try {
    const statistics = await adapterOf(kv).statistics?.(within(patienceMs))
    return statistics && { at: wallClock(), statistics }
  } catch (error) {
    const at = wallClock()
    if (!isStoreError(error)) return { at, statistics: {}, error: 'UNAVAILABLE' }
    return { at, statistics: {}, error: error.code, why: error.message }
  }
}
