import type { Cell } from '../../cube/cell.ts'
import { sharesIn } from '../../options/forms.ts'
import { median } from '../../statistics/summary.ts'
import { wrong } from '../../study/faults.ts'

/** Median latencies that the models start from, in milliseconds. */
export interface HitCosts {
  /** A read that the cache answers. */
  readonly hitMs: number
  /** A read of the store without any cache. */
  readonly storeMs: number
  /** A read through the cache that misses: asking the cache, reading the store, filling the cache. */
  readonly missMs: number
}

/** The same at one size. */
export interface CacheCosts extends HitCosts {
  readonly size: number
}

/** The costs of a cache in front of a store. Medians, as everywhere in the report: a pause of the machine weighs little on them. */
export function costsOf(cell: Cell): HitCosts {
  const p50 = (way: string): number =>
    cell.at({ operation: 'read', way }).figure('service', 'p50') ?? Number.NaN
  return { hitMs: p50('hit'), storeMs: p50('without cache'), missMs: p50('miss') }
}

/** The same by the middle run of means: what is measured at a hit rate has hits and misses in it, and only a mean. */
export function meanCostsOf(cell: Cell): HitCosts {
  const mean = (way: string): number => median(cell.at({ operation: 'read', way }).runs('service', 'mean'))
  return { hitMs: mean('hit'), storeMs: mean('without cache'), missMs: mean('miss') }
}

/** The same at each size at which all three were measured. */
export function costsBySize(cell: Cell): readonly CacheCosts[] {
  const all = cell.valuesOf('size').map((size) => ({ size: Number(size), ...costsOf(cell.at({ size })) }))
  return all.filter(({ hitMs, storeMs, missMs }) => Number.isFinite(hitMs + storeMs + missMs))
}

/**
 * The paper's model: L(h) = h · L_hit + (1 − h) · L_store. It leaves out what a miss costs on top of reading the
 * store, so its left end is the store without a cache.
 *
 * @param hitRate between 0 and 1
 */
export function paperLatency(
  hitRate: number,
  { hitMs, storeMs }: Pick<HitCosts, 'hitMs' | 'storeMs'>,
): number {
  return hitRate * hitMs + (1 - hitRate) * storeMs
}

/**
 * The full-cost model: L(h) = h · L_hit + (1 − h) · (L_probe + L_store + L_fill). The sum in brackets is
 * `missMs`, measured as a whole.
 *
 * @param hitRate between 0 and 1
 */
export function fullLatency(hitRate: number, { hitMs, missMs }: Pick<HitCosts, 'hitMs' | 'missMs'>): number {
  return hitRate * hitMs + (1 - hitRate) * missMs
}

/**
 * The hit rate from which on the cache pays: h* = (L_probe + L_fill) / (L_store + L_probe + L_fill − L_hit), which
 * is where the full-cost model equals the store. 0 if a miss costs nothing; above 1, or `Infinity`, if it never pays.
 */
export function breakEvenHitRate({ hitMs, storeMs, missMs }: HitCosts): number {
  if (hitMs >= storeMs) return Number.POSITIVE_INFINITY
  return Math.max(0, (missMs - storeMs) / (missMs - hitMs))
}

/**
 * Hit rates between 0 and 1, ascending and without repetition, from per cent such as `0,25,50,75,100`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the part that is wrong
 */
export function parseHitRates(text: string): number[] {
  return sharesIn(text, (part, percent) => {
    if (percent >= 0 && percent <= 100) return
    throw wrong(`Hit rates: '${part}' is not from 0 to 100 per cent.`)
  })
}

/** Reads, and how many of them are hits. */
export interface HitMix {
  readonly reads: number
  readonly hits: number
}

/**
 * Reads that make a hit rate: exactly, from `wanted` reads on, where `most` of them suffice; else the number of reads,
 * from half of `wanted` to `most`, that comes nearest to it.
 */
export function mixFor(hitRate: number, wanted: number, most: number): HitMix {
  const exact = readsFor(hitRate, wanted)
  if (exact <= most) return { reads: exact, hits: Math.round(exact * hitRate) }
  const least = Math.max(1, Math.ceil(Math.min(wanted, most) / 2))
  let best: HitMix = { reads: most, hits: Math.round(most * hitRate) }
  const missOf = ({ reads, hits }: HitMix): number => Math.abs(hits / reads - hitRate)
  for (let reads = most - 1; reads >= least; reads--) {
    const mix = { reads, hits: Math.round(reads * hitRate) }
    if (missOf(mix) < missOf(best) - 1e-9) best = mix
  }
  return best
}

/** Smallest number of reads, at least `wanted`, of which a rate of two decimals of a per cent is a whole number. */
export function readsFor(hitRate: number, wanted: number): number {
  const grain = 10_000
  const unit = grain / greatestCommonDivisor(Math.round(hitRate * grain), grain)
  return Math.ceil(wanted / unit) * unit
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
