import {
  type Bytes,
  type Capabilities,
  type CapabilitiesOf,
  compose,
  type NativeOf,
  type ScanCapability,
  type Store,
} from '@unikv/core'
import { checkStore, invalidConfig, levelsAbove } from '@unikv/core/adapter'
import type { BytesStore } from '../mirror.ts'
import { checkBytes } from '../mirror-capabilities.ts'
import { understood } from '../understood.ts'
import { type FallbackOptions, type FallbackSettings, fallbackSettings } from './fallback-options.ts'
import { type FallbackCounters, FallbackReads } from './fallback-reads.ts'
import { fallbackScan } from './fallback-scan.ts'

/** The capabilities of a fallback: those of the primary, except where answers of the secondary change them. */
export type FallbackCapabilities<P extends Capabilities> = {
  readonly [K in keyof Capabilities]: K extends keyof Changed<P> ? Changed<P>[K] : P[K]
}

interface Changed<P extends Capabilities> {
  readonly scan: [P['scan']] extends [false] ? false : P['scan'] | ScanCapability
  readonly isolation: 'eventual'
  readonly consistency: readonly string[]
  readonly sealed: P['sealed'] extends true ? boolean : P['sealed']
  readonly documents: false
  readonly deltas: false
  readonly sync: P['sync'] extends 'none' ? 'none' : 'none' | P['sync']
}

/** Statistics of a fallback since it was created: plain numbers, without keys. */
export interface FallbackStats extends FallbackCounters {}

/** Two stores as one, and the handle to look at it. */
export interface Fallback<P extends BytesStore = BytesStore, S extends BytesStore = BytesStore>
  extends Store<Bytes, FallbackCapabilities<CapabilitiesOf<P>>, NativeOf<P>> {
  readonly primary: P
  readonly secondary: S
  /** Statistics since it was created: plain numbers, without keys. */
  stats(): FallbackStats
}

/**
 * A store that reads from `primary`, and from `secondary` where the primary is `UNAVAILABLE`, `OVERLOADED`, gives a
 * `TIMEOUT` or is silent for too long. Such answers carry `meta.stale` and `meta.tier`. Writes are the primary's alone, and
 * so are calls that name a consistency level. It copies nothing: see `mirror`. Closing it closes both.
 *
 * @throws {StoreError} `INVALID_CONFIG` for a bad option, or a pair that cannot be
 */
export function fallback<P extends BytesStore, S extends BytesStore>(
  primary: P,
  secondary: S,
  options: FallbackOptions = {},
): Fallback<P, S> {
  checkStore('fallback', primary)
  checkStore('fallback', secondary)
  checkBytes(primary, secondary)
  const settings = fallbackSettings(options, secondary.name)
  const first = compose<Store<Bytes>, []>(primary, [])
  const second = compose<Store<Bytes>, []>(secondary, [])
  const reads = new FallbackReads(first, second, settings)
  const capabilities = fallbackCapabilities(primary.capabilities, secondary.capabilities, settings)
  return {
    name: primary.name,
    dataset: primary.dataset,
    capabilities: capabilities as Fallback<P, S>['capabilities'],
    get native() {
      return primary.native as NativeOf<P>
    },
    primary,
    secondary,
    read: (asked, call) => reads.read(asked, call),
    write: (mutations, call) => first.write(mutations, understood(call, first.capabilities)),
    scan: (range, call) =>
      settings.scans === 'fallback'
        ? fallbackScan(reads, range, call)
        : first.scan(range, understood(call, first.capabilities)),
    stats: () => ({ ...reads.counters }),
    close: async () => {
      await Promise.all([first.close(), second.close()])
    },
  }
}

function fallbackCapabilities(
  primary: Capabilities,
  secondary: Capabilities,
  { scans }: FallbackSettings,
): Capabilities {
  return Object.freeze<Capabilities>({
    ...primary,
    scan: scans === 'fallback' ? narrowerScan(primary.scan, secondary.scan) : primary.scan,
    batch: { ...primary.batch, coalesce: false },
    isolation: 'eventual',
    consistency: levelsAbove(primary),
    sealed: primary.sealed && secondary.sealed,
    sync: secondary.sync === 'none' ? 'none' : primary.sync,
  })
}

function narrowerScan(a: Capabilities['scan'], b: Capabilities['scan']): ScanCapability {
  if (a === false || b === false)
    throw invalidConfig("scans: 'fallback' needs two stores that list their keys.")
  return {
    order: a.order === 'bytes' && b.order === 'bytes' ? 'bytes' : 'none',
    delivery: a.delivery === 'once' && b.delivery === 'once' ? 'once' : 'at-least-once',
    prefix: a.prefix === 'indexed' && b.prefix === 'indexed' ? 'indexed' : 'filtered',
  }
}
