import { performance } from '@unikv/core/platform'
import type { DrivenRecord } from '../../../driven/target-results.ts'
import type { RunConfig } from '../config.ts'
import { commandReset } from './command-reset.ts'
import type { Reset, ResetPlace } from './reset.ts'
import { snapshotReset } from './snapshot-reset.ts'

type Timed = NonNullable<DrivenRecord['reset']>

/** The stores of a run whose records are brought back before each run. */
export class Resets {
  readonly #config: Pick<RunConfig, 'reset' | 'save' | 'restore'>
  readonly #resets = new Map<string, Reset>()
  /** Stores and runs before which records were brought back: once for all phases of a run. */
  readonly #restored = new Set<string>()

  constructor(config: Pick<RunConfig, 'reset' | 'save' | 'restore'>) {
    this.#config = config
  }

  /** Keep the records that were loaded. Resolves to the time that it took; `undefined`: records are not brought back. */
  async save(place: ResetPlace): Promise<Timed | undefined> {
    const { reset: way } = this.#config
    if (way === 'none') return undefined
    const reset = way === 'snapshot' ? await snapshotReset(place) : commandReset(place, this.#config)
    this.#resets.set(place.target.name, reset)
    return timed(way, () => reset.save())
  }

  /** Bring the records of a store back before this run. */
  async restore(store: string, run: number): Promise<Timed | undefined> {
    const { reset: way } = this.#config
    const before = `${store} ${run}`
    if (way === 'none' || this.#restored.has(before)) return undefined
    this.#restored.add(before)
    return timed(way, () => (this.#resets.get(store) as Reset).restore())
  }

  async close(): Promise<void> {
    await Promise.all([...this.#resets.values()].map((reset) => reset.close()))
  }
}

async function timed(way: Timed['way'], work: () => Promise<void>): Promise<Timed> {
  const startedAt = performance.now()
  await work()
  return { way, elapsedMs: performance.now() - startedAt }
}
