import { StoreError } from '../contract/errors.ts'
import type { KeyCodec } from '../keys/key-codec.ts'
import { checkOptions, kindOf, type OptionNames } from '../options/check-options.ts'
import { checkMs } from '../options/checked-ms.ts'
import { ownNumbers } from '../options/own-function.ts'
import { wallClock } from '../platform/timers.ts'
import {
  type AnyStore,
  type CapabilitiesOf,
  type Checked,
  type Composed,
  type NativeOf,
  stack,
  type ValueOf,
} from '../stack/compose.ts'
import type { AnyLayer } from '../stack/layer.ts'
import { hasCache } from '../stack/layers-of.ts'
import { checkLevel, Engine } from './engine.ts'
import type { KeyValue } from './key-value.ts'
import { View } from './view.ts'

/** Settings of a KeyValue. */
export interface KeyValueOptions<K> {
  /** How keys become strings. @default text keys, as they are */
  readonly keys?: KeyCodec<K> | undefined
  /** Deadline of every call that names none, in milliseconds. @default 5000 */
  readonly timeoutMs?: number | undefined
  /** How long `close` waits for calls under way, in milliseconds. @default 5000 */
  readonly graceMs?: number | undefined
  /**
   * Consistency level of `get`, `getEntry`, `getMany`, `has`, `head`, `revalidate`, `keys`, `entries` and `count` that name none: one
   * of `capabilities.consistency`. It does not apply to writes and updates, and is refused beside a cache. @default the level of the store
   */
  readonly readConsistency?: string | undefined
  /** Merge concurrent single calls into batches where the store declares it. @default true */
  readonly coalesce?: boolean | undefined
  /** Wall clock in milliseconds, for expiry and versions. @default `Date.now` as it was when core was loaded */
  readonly clock?: (() => number) | undefined
  /** Uniform in [0, 1), for jitter. @default Math.random */
  readonly random?: (() => number) | undefined
}

const names: OptionNames<KeyValueOptions<unknown>> = {
  keys: true,
  timeoutMs: true,
  graceMs: true,
  readConsistency: true,
  coalesce: true,
  clock: true,
  random: true,
}

const aliases = { codec: 'keys', keycodec: 'keys' }

/** The KeyValue that `keyValue(store, layers)` returns, for annotations. */
export type KeyValueOf<S, K = string> = KeyValue<K, ValueOf<S>, CapabilitiesOf<S>, NativeOf<S>>

/**
 * A typed map over a store in layers.
 *
 * *The first layer listed sees the call first; the last one stands next to the store.*
 *
 * ```ts
 * const users = keyValue(redis({ url }), [cache(), json(User)])
 * await users.set('ada', { name: 'Ada' })
 * ```
 *
 * @throws {StoreError} `INVALID_CONFIG` for a wrong order of layers or a bad option
 */
export function keyValue<S extends AnyStore, const L extends readonly AnyLayer[] = readonly [], K = string>(
  store: S,
  layers?: L & Checked<S, NoInfer<L>>,
  options: KeyValueOptions<K> = {},
): KeyValueOf<Composed<S, L>, K> {
  checkOptions('keyValue', options, names, 'INVALID_CONFIG', aliases)
  const { timeoutMs = 5000, graceMs = 5000, readConsistency, coalesce } = options
  const clock = ownNumbers('keyValue', 'clock', options.clock, wallClock)
  const random = ownNumbers('keyValue', 'random', options.random, Math.random)
  checkKeyCodec(options.keys)
  checkMs({ timeoutMs })
  checkMs({ graceMs }, { least: 0 })
  const stacked = stack('keyValue', store, layers, { coalesce })
  if (readConsistency !== undefined) checkReadConsistency(stacked, readConsistency)
  const engine = new Engine(stacked, { timeoutMs, graceMs, readConsistency, clock, random })
  return new View<K, unknown>(engine, [], options.keys) as unknown as KeyValueOf<Composed<S, L>, K>
}

function checkReadConsistency(stacked: AnyStore, level: string): void {
  checkLevel(stacked, level, 'INVALID_CONFIG', 'this level as `readConsistency`')
  if (hasCache(stacked))
    throw new StoreError(
      'INVALID_CONFIG',
      'A cache never answers reads with a consistency level. Leave out the cache, or `readConsistency`.',
    )
}

function checkKeyCodec(codec: unknown): void {
  const { encode, decode } = Object(codec) as Partial<KeyCodec<unknown>>
  if (codec === undefined || (typeof encode === 'function' && typeof decode === 'function')) return
  const message = `\`keys\` of keyValue() must be a key codec such as bytesKey(), got ${kindOf(codec)}.`
  throw new StoreError('INVALID_CONFIG', message)
}
