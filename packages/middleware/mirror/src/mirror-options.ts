import type { Bytes, Store } from '@unikv/core'
import {
  any,
  background,
  invalidConfig,
  label,
  listener,
  ms,
  type OptionsOf,
  oneOf,
  quietClock,
  quietRandom,
  readOptions,
  whole,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { MirrorEvent } from './events.ts'

const table = {
  /**
   * The stores that a write waits for: `'both'`, the secondary too, for `timeoutMs` at most; or the `'primary'` alone,
   * which takes `background`: without it the rest is awaited all the same.
   *
   * @default 'both'
   */
  acknowledge: oneOf('both', ['both', 'primary']),
  /** Longest wait for one answer of either store in mirrored writes and repairs, in milliseconds. @default 1,000 */
  timeoutMs: ms(1_000),
  /**
   * `'many'`: other processes mirror writes of the same pair too. Then the primary is asked after each mirrored write
   * whether it still has that version. `'one'`: only this mirror writes.
   *
   * @default 'many'
   */
  writers: oneOf('many', ['many', 'one']),
  /** Most keys in memory that are owed to the secondary. @default 10,000 */
  maxDirty: whole(10_000),
  /**
   * How long a write of unknown outcome may still take effect, in milliseconds: after it a key is repaired once more. Above
   * the `timeoutMs` of all writes.
   *
   * @default 10,000
   */
  doubtMs: ms(10_000),
  /** Wait after the first failure of a repair, about, in milliseconds; twice as long after each that follows. @default 100 */
  baseMs: ms(100),
  /** Longest wait between repairs, in milliseconds. @default 30,000 */
  capMs: ms(30_000),
  /**
   * A store of bytes that keeps the keys that are owed, so that a killed process leaves a mark: neither of the two, and
   * with `conditionalWrite` and `scan`. It holds keys, never values. Closed with the last mirror that has it.
   *
   * @default none: in memory
   */
  journal: any<Store<Bytes>>(),
  /** Where the marks lie in the journal. Each mirrored pair needs its own. @default 'mirror' */
  namespace: label(undefined),
  /** Say so if plain text of a sealed primary may be kept in a secondary that is not sealed, or its hashed names there or in a journal. */
  plaintext: oneOf(undefined, ['allowed']),
  /** Takes work that goes on after the answer: `waitUntil` of a serverless platform, or `() => {}`. It never rejects. */
  background: background(),
  /** How long `close` goes on repairing, in milliseconds. @default 5,000 */
  graceMs: ms(5_000),
  /** Told what the mirror does, for logs and metrics. Never holds a key. Errors it throws are ignored. */
  onEvent: listener<MirrorEvent>(),
  /** Monotonic clock in milliseconds. @default performance.now */
  monotonicClock: quietClock(() => performance.now()),
  /** Uniform in [0, 1). @default Math.random */
  random: quietRandom(),
}

/** Settings of `mirror`. */
export interface MirrorOptions extends OptionsOf<typeof table> {}

/** Options with their defaults, checked. */
export type MirrorSettings = ReturnType<typeof mirrorSettings>

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function mirrorSettings(options: MirrorOptions) {
  const { monotonicClock: now, namespace, ...settings } = readOptions('mirror', table, options)
  if (namespace !== undefined && settings.journal === undefined)
    throw invalidConfig(
      'namespace needs journal: it says where the marks lie in that. Give journal, or leave namespace away.',
    )
  return { ...settings, now, namespace: namespace ?? 'mirror' }
}
