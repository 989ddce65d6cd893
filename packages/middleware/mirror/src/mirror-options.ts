import type { Bytes, Store } from '@unikv/core'
import {
  checkFactoryOptions,
  checkMs,
  checkName,
  checkOneOf,
  checkPositive,
  invalidConfig,
  type OptionNames,
  unfailing,
  unfailingListener,
  unfailingNumbers,
  unfailingRandom,
} from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { MirrorEvent } from './events.ts'

/** Settings of `mirror`. */
export interface MirrorOptions {
  /**
   * The stores that a write waits for: `'both'`, the secondary too, for `timeoutMs` at most; or the `'primary'` alone,
   * which takes `background`: without it the rest is awaited all the same.
   *
   * @default 'both'
   */
  readonly acknowledge?: 'both' | 'primary' | undefined
  /** Longest wait for one answer of either store in mirrored writes and repairs, in milliseconds. @default 1,000 */
  readonly timeoutMs?: number | undefined
  /**
   * `'many'`: other processes mirror writes of the same pair too. Then the primary is asked after each mirrored write
   * whether it still has that version. `'one'`: only this mirror writes.
   *
   * @default 'many'
   */
  readonly writers?: 'many' | 'one' | undefined
  /** Most keys in memory that are owed to the secondary. @default 10,000 */
  readonly maxDirty?: number | undefined
  /**
   * How long a write of unknown outcome may still take effect, in milliseconds: after it a key is repaired once more. Above
   * the `timeoutMs` of all writes.
   *
   * @default 10,000
   */
  readonly doubtMs?: number | undefined
  /** Wait after the first failure of a repair, about, in milliseconds; twice as long after each that follows. @default 100 */
  readonly baseMs?: number | undefined
  /** Longest wait between repairs, in milliseconds. @default 30,000 */
  readonly capMs?: number | undefined
  /**
   * A store of bytes that keeps the keys that are owed, so that a killed process leaves a mark: neither of the two, and
   * with `conditionalWrite` and `scan`. It holds keys, never values. Closed with the last mirror that has it.
   *
   * @default none: in memory
   */
  readonly journal?: Store<Bytes> | undefined
  /** Where the marks lie in the journal. Each mirrored pair needs its own. @default 'mirror' */
  readonly namespace?: string | undefined
  /** Say so if plain text of a sealed primary may be kept in a secondary that is not sealed, or its hashed names there or in a journal. */
  readonly plaintext?: 'allowed' | undefined
  /** Takes work that goes on after the answer: `waitUntil` of a serverless platform, or `() => {}`. It never rejects. */
  readonly background?: ((work: Promise<unknown>) => unknown) | undefined
  /** How long `close` goes on repairing, in milliseconds. @default 5,000 */
  readonly graceMs?: number | undefined
  /** Told what the mirror does, for logs and metrics. Never holds a key. Errors it throws are ignored. */
  readonly onEvent?: ((event: MirrorEvent) => void) | undefined
  /** Monotonic clock in milliseconds. @default performance.now */
  readonly monotonicClock?: (() => number) | undefined
  /** Uniform in [0, 1). @default Math.random */
  readonly random?: (() => number) | undefined
}

/** Options with their defaults, checked. */
export interface MirrorSettings {
  readonly acknowledge: 'both' | 'primary'
  readonly timeoutMs: number
  readonly writers: 'many' | 'one'
  readonly maxDirty: number
  readonly doubtMs: number
  readonly baseMs: number
  readonly capMs: number
  readonly journal: Store<Bytes> | undefined
  readonly namespace: string
  readonly plaintext: 'allowed' | undefined
  readonly background: ((work: Promise<unknown>) => unknown) | undefined
  readonly graceMs: number
  readonly onEvent: (event: MirrorEvent) => void
  readonly now: () => number
  readonly random: () => number
}

const optionNames: OptionNames<MirrorOptions> = {
  acknowledge: true,
  timeoutMs: true,
  writers: true,
  maxDirty: true,
  doubtMs: true,
  baseMs: true,
  capMs: true,
  journal: true,
  namespace: true,
  plaintext: true,
  background: true,
  graceMs: true,
  onEvent: true,
  monotonicClock: true,
  random: true,
}

/**
 * Check the options and fill in the defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function mirrorSettings(options: MirrorOptions): MirrorSettings {
  checkFactoryOptions('mirror', options, optionNames)
  const settings: MirrorSettings = {
    acknowledge: options.acknowledge ?? 'both',
    timeoutMs: options.timeoutMs ?? 1_000,
    writers: options.writers ?? 'many',
    maxDirty: options.maxDirty ?? 10_000,
    doubtMs: options.doubtMs ?? 10_000,
    baseMs: options.baseMs ?? 100,
    capMs: options.capMs ?? 30_000,
    journal: options.journal,
    namespace: options.namespace ?? 'mirror',
    plaintext: options.plaintext,
    background: unfailing(options.background),
    graceMs: options.graceMs ?? 5_000,
    onEvent: unfailingListener('mirror', 'onEvent', options.onEvent),
    now: unfailingNumbers('mirror', 'monotonicClock', options.monotonicClock, () => performance.now()),
    random: unfailingRandom('mirror', options.random),
  }
  const { timeoutMs, maxDirty, doubtMs, baseMs, capMs, graceMs, background } = settings
  checkPositive({ maxDirty })
  checkMs({ timeoutMs, doubtMs, baseMs, capMs, graceMs })
  checkOneOf('acknowledge', settings.acknowledge, ['both', 'primary'])
  checkOneOf('plaintext', settings.plaintext, ['allowed'])
  checkName('namespace', settings.namespace)
  if (options.namespace !== undefined && options.journal === undefined)
    throw invalidConfig(
      'namespace needs journal: it says where the marks lie in that. Give journal, or leave namespace away.',
    )
  checkOneOf('writers', settings.writers, ['many', 'one'])
  if (background !== undefined && typeof background !== 'function')
    throw invalidConfig('background must be a function that takes a promise.')
  return settings
}
