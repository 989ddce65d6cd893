import { compose, isEntry } from '@unikv/core'
import { adapterOf, copyNotice, within } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { Pauses } from '../log/pauses.ts'
import type { TunedStore } from '../tactic.ts'
import type { CourseParts } from './parts.ts'

/** A store is asked for no longer: one that does not answer has other troubles. */
const longestMs = 2000
/** The pause goes on for so long after the last notice that was new, and is renewed when half of it is over. */
const pauseMs = copyNotice.patienceMs

/**
 * Pauses stores that are copied, filled or backed up by anybody: each such work writes a notice into its stores. The pause is that
 * of an owner, so that all processes obey and `unikv tune` shows it.
 */
export class Copies {
  readonly #parts: Pick<CourseParts, 'placeOf' | 'clock' | 'by'>
  readonly #pauses: Pauses
  /** The latest notice of each store, and when it was new. */
  readonly #seen = new Map<string, { readonly notice: string; readonly at: number }>()

  constructor(parts: Pick<CourseParts, 'placeOf' | 'clock' | 'by' | 'log'>) {
    this.#parts = parts
    this.#pauses = parts.log.pauses
  }

  /** Look for notices in these stores. */
  async look(stores: Iterable<string>): Promise<void> {
    const names = [...new Set(stores)]
    const found = await Promise.all(names.map((name) => this.#isCopied(name)))
    const copied = names.filter((_, i) => found[i])
    if (copied.length === 0) return
    const now = wallClock()
    const pauses = await this.#pauses.now()
    const lasting = pauses.filter(({ untilAt }) => untilAt - now > pauseMs / 2).map(({ store }) => store)
    for (const store of copied)
      if (!lasting.includes(store) && !lasting.includes(null))
        await this.#pauses.begin({
          store,
          fromAt: now,
          untilAt: now + pauseMs,
          by: this.#parts.by,
          why: 'it is being copied',
        })
  }

  async #isCopied(store: string): Promise<boolean> {
    const place = this.#parts.placeOf(store)
    const notice = place === undefined ? undefined : await noticeIn(place).catch(() => undefined)
    if (notice === undefined) return false
    const now = this.#parts.clock()
    const seen = this.#seen.get(store)
    if (seen?.notice === notice) return Math.abs(now - seen.at) < copyNotice.patienceMs
    this.#seen.set(store, { notice, at: now })
    return true
  }
}

/** The notice of a copy in a store, below all layers; `undefined`: there is none. */
async function noticeIn({ kv }: Pick<TunedStore, 'kv'>): Promise<string | undefined> {
  const store = compose(adapterOf(kv), [], { coalesce: false })
  const [result] = await store.read([{ key: copyNotice.key }], within(longestMs))
  return result !== undefined && isEntry(result) ? JSON.stringify([result.version, result.value]) : undefined
}
