import type { Candidate, Facts, Figure } from '../../tactic.ts'

/** A hit in this process takes so much of the time of a read of the store. */
const hitShare = 0.02
/**
 * A hit saves the process so much of its processor: of `get` of a Redis on the same machine, 1 kB of JSON, four callers; other
 * drivers take more.
 */
const savedProcessorMs = 0.014

/** A cache of so many entries in place of a smaller one, or of none. */
export function cached(
  facts: Facts<undefined>,
  entries: number,
  before = 0,
): Omit<Candidate, 'change' | 'title'> {
  const { work, server, processes = 1 } = facts
  const read = work['read'] ?? { hitRate: 0, callsPerSecond: 0, meanMs: 0, bytesPerCall: 0 }
  const writes = ['set', 'delete', 'increment'].reduce(
    (sum, name) => sum + (work[name as 'set']?.callsPerSecond ?? 0),
    0,
  )
  // Each write makes an entry unusable once.
  const upset = writes / Math.max(1e-9, writes + read.callsPerSecond)
  const records = server?.statistics.records ?? 100_000
  const most = shareOfReads(entries, records) * (1 - upset)
  const hitRate = before === 0 ? most : Math.max(read.hitRate, most)
  const moreHits = read.callsPerSecond * (hitRate - read.hitRate)
  const missed = (1 - hitRate) / Math.max(0.01, 1 - read.hitRate)
  const figures: Figure[] = [
    { name: 'reads', value: read.callsPerSecond, unit: 'calls/s' },
    { name: 'reads that a cache answers now', value: read.hitRate, unit: 'share' },
    { name: 'reads that this cache should answer', value: hitRate, unit: 'share' },
    { name: 'records of the store', value: records, unit: 'records' },
    { name: 'writes, each of which makes an entry invalid', value: writes, unit: 'calls/s' },
  ]
  return {
    seconds: 5,
    hitRate,
    figures,
    latency: { read: Math.min(1, missed + hitShare) },
    resources: { loop: Math.max(0.1, 1 - ((moreHits / processes) * savedProcessorMs) / 1000) },
    // A percentile below the hit rate is that of hits; above it, of misses.
    tail: (name, percentile) =>
      name !== 'read' ? undefined : percentile / 100 < hitRate - 0.005 ? hitShare : 1 - 0.3 * (1 - missed),
    bytes: entries * Math.max(200, read.bytesPerCall),
  }
}

/** Share of the reads that go to the most popular records, if popularity falls as in Zipf's law. */
function shareOfReads(entries: number, records: number): number {
  const harmonic = (count: number): number => Math.log(Math.max(1, count)) + 0.577
  return entries >= records ? 0.98 : harmonic(entries) / harmonic(records)
}
