import {
  type Bytes,
  type Capabilities,
  type CapabilitiesOf,
  compose,
  type NativeOf,
  type Store,
  StoreError,
} from '@unikv/core'
import { checkOptions, checkStore, invalidConfig, type OptionNames, ownSignal } from '@unikv/core/adapter'
import { clearTimeout, pause, setTimeout } from '@unikv/core/platform'
import {
  type Comparison,
  type ComparisonOptions,
  checkComparison,
  type Differing,
  refuseAborted,
  Walk,
} from './comparing.ts'
import type { MirrorStats } from './events.ts'
import { checkPair, type MirrorCapabilities, mirrorCapabilities } from './mirror-capabilities.ts'
import { type MirrorOptions, type MirrorSettings, mirrorSettings } from './mirror-options.ts'
import { Mirroring } from './mirroring.ts'

/** A store of bytes, of any product and in any layers. */
export type BytesStore = Store<Bytes, Capabilities, unknown>

/** The result of `resync`. */
export interface Resync {
  /** Keys of the primary that were compared. */
  readonly keys: number
  /** Keys that were missing or different and are equal now. */
  readonly copied: number
  /** Keys of the secondary alone that are gone now. */
  readonly deleted: number
  /** Keys that could not be made equal; they stay owed. */
  readonly failed: number
}

/** Two stores as one, and the handle to look after them. */
export interface Mirror<P extends BytesStore = BytesStore, S extends BytesStore = BytesStore>
  extends Store<Bytes, MirrorCapabilities<CapabilitiesOf<P>, CapabilitiesOf<S>>, NativeOf<P>> {
  readonly primary: P
  /** Also for its native client: `mirror.secondary.native`. */
  readonly secondary: S
  /** Statistics since it was created: plain numbers, without keys. */
  stats(): MirrorStats
  /** Try every key that is owed, now. Resolves to how many are still owed. */
  repair(): Promise<number>
  /**
   * Compare both stores, key by key. Changes nothing.
   *
   * @throws {StoreError} `UNSUPPORTED` if the primary cannot list its keys
   */
  verify(options?: ComparisonOptions): Promise<Comparison>
  /**
   * Go through both stores and bring the secondary to the primary: copy what is missing or different, delete what the
   * primary does not have. Ends `stats().mustResync` if nothing failed; where a lost key may still change by a write of
   * unknown outcome, it waits for `doubtMs` first. Writes may go on meanwhile.
   *
   * @throws {StoreError} `UNSUPPORTED` if a store cannot list its keys, `UNAVAILABLE` if one fails on the way
   */
  resync(options?: Omit<ComparisonOptions, 'maxExamples'>): Promise<Resync>
}

/**
 * A store that keeps `secondary` equal to `primary`. The primary decides: outcomes, conditions, versions, reads and scans
 * are its own. Its acknowledged writes go to the secondary too; those that did not get there are noted and repaired in the
 * background until it holds. A failing secondary never fails a write. Closing it closes both.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, or a pair that cannot be mirrored
 */
export function mirror<P extends BytesStore, S extends BytesStore>(
  primary: P,
  secondary: S,
  options: MirrorOptions = {},
): Mirror<P, S> {
  checkStore('mirror', primary)
  checkStore('mirror', secondary)
  const settings = mirrorSettings(options)
  checkPair(primary, secondary, settings)
  if (settings.journal === (primary as Store<Bytes>) || settings.journal === (secondary as Store<Bytes>))
    throw invalidConfig('The journal must be a third store: neither the primary nor the secondary.')
  const first = compose<AnyBytes, []>(primary, [])
  const made = new Mirroring(first, compose<AnyBytes, []>(secondary, []), settings)
  let closing: Promise<void> | undefined
  return {
    name: primary.name,
    dataset: primary.dataset,
    capabilities: mirrorCapabilities(primary.capabilities, secondary.capabilities) as Mirror<
      P,
      S
    >['capabilities'],
    get native() {
      return primary.native as NativeOf<P>
    },
    primary,
    secondary,
    read: (reads, call) => {
      made.adoption?.start()
      return first.read(reads, call)
    },
    write: (mutations, call) => made.write(mutations, call),
    scan: (range, call) => first.scan(range, call),
    stats: () => statsOf(made),
    repair: async () => {
      await made.adoption?.started()
      await made.repairs.tryAll()
      return made.repairs.dirty.size
    },
    verify: (asked = {}) => verify(made, asked),
    resync: (asked = {}) => resync(made, asked, settings),
    close: () => (closing ??= close(made, settings.graceMs, settings.onEvent)),
  }
}

type AnyBytes = Store<Bytes>

function statsOf({ counters, repairs, pair }: Mirroring): MirrorStats {
  const { mustResync, dirty, spilled: marksWait } = repairs
  const { isFailing: secondaryFails } = pair.secondary.pause
  return { ...counters, dirty: dirty.size, marksWait, mustResync, secondaryFails }
}

const resyncNames: OptionNames<Omit<ComparisonOptions, 'maxExamples'>> = {
  bytes: true,
  prefix: true,
  signal: true,
}
const verifyNames: OptionNames<ComparisonOptions> = { maxExamples: true, ...resyncNames }

async function verify(made: Mirroring, options: ComparisonOptions): Promise<Comparison> {
  checkOptions('verify', options, verifyNames, 'INVALID_ARGUMENT')
  checkComparison(options)
  const { maxExamples = 20 } = options
  const { primary, secondary } = made.pair
  const walk = new Walk(made.pair, { ...options, signal: ownSignal(options.signal) })
  const counts = { keys: 0, missing: 0, different: 0, unreadable: 0, extra: 0, owed: 0 }
  const examples: Differing[] = []
  const note = (found: readonly Differing[]): void => {
    for (const one of found) {
      counts[one.difference]++
      if (made.states.find(one.key)?.owed === true) counts.owed++
      if (examples.length < maxExamples) examples.push(one)
    }
  }
  for await (const keys of walk.keys(primary)) {
    counts.keys += keys.length
    // A record that only the secondary has by now was deleted meanwhile; the second walk sees to it.
    note((await walk.differing(keys)).filter(({ difference }) => difference !== 'extra'))
  }
  const same = counts.keys - counts.missing - counts.different - counts.unreadable
  if (secondary.store.capabilities.scan === false) return { ...counts, same, extra: undefined, examples }
  for await (const keys of walk.keys(secondary))
    note((await walk.differing(keys)).filter(({ difference }) => difference === 'extra'))
  return { ...counts, same, examples }
}

async function resync(
  made: Mirroring,
  options: ComparisonOptions,
  { now, onEvent }: MirrorSettings,
): Promise<Resync> {
  checkOptions('resync', options, resyncNames, 'INVALID_ARGUMENT')
  checkComparison(options)
  const { pair, repairs, states } = made
  const signal = ownSignal(options.signal)
  const { overflows, lostDoubtUntil, mustResync } = repairs
  // A lost key is not looked at again: nothing may come late any more.
  if (mustResync) await waitFor(lostDoubtUntil - now(), signal)
  const walk = new Walk(pair, { ...options, signal })
  const counts = { keys: 0, copied: 0, deleted: 0, failed: 0 }
  const mend = async (found: readonly Differing[]): Promise<void> => {
    const owed = found.map(({ key }) => states.of(key))
    for (const state of owed) repairs.owe(state, { force: true })
    await repairs.tryAll(owed)
    if (repairs.isFailing)
      throw new StoreError('UNAVAILABLE', 'A store failed during the resync. Call resync again later.')
    for (const [i, { failures }] of owed.entries()) {
      if (failures > 0) counts.failed++
      else counts[found[i]?.difference === 'extra' ? 'deleted' : 'copied']++
    }
  }
  for await (const keys of walk.keys(pair.primary)) {
    counts.keys += keys.length
    await mend(await walk.differing(keys))
  }
  for await (const keys of walk.keys(pair.secondary)) await mend(await walk.differing(keys))
  const isWhole = counts.failed === 0 && (options.prefix ?? '') === '' && repairs.overflows === overflows
  if (isWhole) {
    repairs.mustResync = false
    onEvent({ type: 'resynced' })
  }
  return counts
}

async function waitFor(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return
  await pause(Math.ceil(ms) + 1, { signal })
  refuseAborted(signal)
}

async function close(
  made: Mirroring,
  graceMs: number,
  onEvent: (event: { readonly type: 'closed'; readonly dirty: number }) => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([made.drain().catch(() => {}), grace])
  clearTimeout(timer)
  made.repairs.stop()
  onEvent({ type: 'closed', dirty: made.repairs.dirty.size })
  await made.close()
}
