import { type Bytes, type KeyValue, StoreError, type Supporting } from '@unikv/core'
import { wallClock } from '@unikv/core/platform'
import { z } from 'zod'

/** A time in which the tuner leaves a store alone, as a copy or a migration is under way. */
export interface Pause {
  /** `null`: all stores. */
  readonly store: string | null
  /** Milliseconds since the epoch. */
  readonly fromAt: number
  readonly untilAt: number
  /** The process or person. */
  readonly by: string
  readonly why?: string | undefined
}

/** A pause lasts so long at most. */
export const longestPauseMs = 7 * 86_400_000

const kept = z.array(
  z.strictObject({
    store: z.string().nullable(),
    fromAt: z.number(),
    untilAt: z.number(),
    by: z.string(),
    why: z.string().optional(),
  }),
)
const key = 'pauses'

/** The pauses that owners asked for, in one record of the log. */
export class Pauses {
  readonly #kv: KeyValue<string, Bytes, Supporting<'scan' | 'conditionalWrite'>>

  constructor(kv: KeyValue<string, Bytes, Supporting<'scan' | 'conditionalWrite'>>) {
    this.#kv = kv
  }

  /** Those that are in force. */
  async now(): Promise<readonly Pause[]> {
    return inForce(await this.#kv.get(key))
  }

  /**
   * Another one, in the place of an earlier one of the same store.
   *
   * @param stores the names that there are, where they are known
   */
  async begin(pause: Pause, stores?: readonly string[]): Promise<void> {
    checkStore(pause.store ?? undefined, stores)
    const forMs = pause.untilAt - pause.fromAt
    // A record that nothing can read would stop the tuner.
    if (pause.why !== undefined && typeof pause.why !== 'string')
      throw new StoreError('INVALID_ARGUMENT', '`why` of a pause must be a text.')
    if (!(forMs > 0 && forMs <= longestPauseMs))
      throw new StoreError('INVALID_ARGUMENT', 'A pause takes from a millisecond to seven days.')
    await this.#change((pauses) => [...pauses.filter(({ store }) => store !== pause.store), pause])
  }

  /** End one; without a store all of them. Returns those that ended. */
  async end(store?: string, stores?: readonly string[]): Promise<readonly Pause[]> {
    checkStore(store, stores)
    let ended: readonly Pause[] = []
    if (store === undefined) {
      ended = await this.now().catch(() => [])
      await this.#kv.delete(key)
      return ended
    }
    await this.#change((pauses) => {
      ended = pauses.filter((one) => one.store === store)
      return pauses.filter((one) => !ended.includes(one))
    })
    return ended
  }

  async #change(change: (pauses: readonly Pause[]) => readonly Pause[]): Promise<void> {
    await this.#kv.update(key, (bytes) => new TextEncoder().encode(JSON.stringify(change(inForce(bytes)))))
  }
}

function checkStore(name: string | undefined, stores: readonly string[] | undefined): void {
  if (name === undefined || stores === undefined || stores.includes(name)) return
  const known = stores.join(', ')
  throw new StoreError('INVALID_ARGUMENT', `No store is named '${name}'. The configuration has: ${known}.`)
}

function inForce(bytes: Bytes | undefined): readonly Pause[] {
  if (bytes === undefined) return []
  try {
    const now = wallClock()
    return kept.parse(JSON.parse(new TextDecoder().decode(bytes))).filter(({ untilAt }) => untilAt > now)
  } catch (cause) {
    throw new StoreError(
      'CORRUPT',
      'The pauses of the tuner cannot be read. unikv tune resume ends them all.',
      { key, cause },
    )
  }
}
