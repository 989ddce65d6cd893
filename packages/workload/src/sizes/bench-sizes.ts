import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import type { SizePoint } from '../data/data-source.ts'
import { type BenchInput, BenchRun, benchInputNames } from '../run/bench-run.ts'
import type { BenchEvent } from '../run/events.ts'
import type { CacheTarget } from '../run/target.ts'
import { aggregate, type CellRecord, type Series } from './aggregate.ts'
import { CellRunner } from './cell-runner.ts'
import { checkRun, sizePoints, tryData } from './check.ts'
import type { SizesConfig } from './config.ts'
import { leastHitMs } from './measure-cache.ts'
import { leastCodecMs } from './measure-codec.ts'
import { leastReadMs } from './measure-latency.ts'
import { type Cell, cellName, plan } from './plan.ts'
import type { CacheInfo, PointInfo, SizesResult } from './result.ts'

/** What to measure. */
export interface BenchSizesInput extends BenchInput<Cell> {
  readonly config: SizesConfig
  readonly caches?: readonly CacheTarget[] | undefined
}

const optionNames: OptionNames<BenchSizesInput> = { ...benchInputNames, caches: true }

/** What `benchSizes` reports while it works. */
export type SizesEvent = BenchEvent<Cell>

/**
 * Measure read, write and delete latency of stores over object sizes, reads through caches at hit rates, and the
 * cost of encryption and compression. Works in a namespace of its own in every store and deletes exactly that.
 *
 * A run that is interrupted, or that fails after its first measured cell, still returns what it finished, with
 * `status` saying so.
 *
 * @throws {StoreError} `INVALID_CONFIG` or `INVALID_ARGUMENT` before anything is sent; the store's own error if
 * nothing was measured
 */
export async function benchSizes(input: BenchSizesInput): Promise<SizesResult> {
  checkFactoryOptions('benchSizes', input, optionNames)
  const { config, stores, caches = [], data } = input
  const points = sizePoints(config, data)
  checkRun(config, stores, caches, points)
  await tryData(data, points)
  const run = new BenchRun(input, points)
  const { id: runId, namespaces, signal } = run
  const runner = new CellRunner({ config, stores, caches, points, runId, namespaces, signal })
  const records: CellRecord[] = []
  const targets = [...stores, ...caches.filter((cache) => cache.kind === 'remote')]
  await run.measure(targets, planned(input, points), { nameOf: cellName, leastMsOf }, async (cell) => {
    records.push(await runner.run(cell))
  })
  const series = aggregate({
    config,
    sizes: points.map(({ size }) => size),
    stores: stores.map(({ name }) => name),
    caches: caches.map(({ name }) => name),
    records,
  })
  return {
    format: 'unikv.bench-sizes',
    formatVersion: 2,
    ...run.result(),
    config,
    caches: caches.map((cache) => cacheInfo(cache, run)),
    points: runner.pointInfos().map((point) => asItHappened(point, series)),
    ...series,
  }
}

/** Reads, hits and codecs are repeated for so long at least. */
function leastMsOf({ kind }: Cell): number {
  if (kind === 'latency') return leastReadMs
  return kind === 'cache' ? leastReadMs + leastHitMs : 2 * leastCodecMs
}

/** Phases that ended early wrote fewer objects than planned. */
function asItHappened(point: PointInfo, { latency }: Series): PointInfo {
  const written = latency
    .filter(({ operation }) => operation === 'write')
    .flatMap(({ points }) => points.filter(({ size }) => size === point.size))
  return { ...point, operations: Math.min(point.operations, ...written.map(({ objects }) => objects)) }
}

function planned({ config, stores, caches = [] }: BenchSizesInput, points: readonly SizePoint[]): Cell[] {
  return plan({
    config,
    points: points.length,
    stores: stores.map(({ name }) => name),
    caches: caches.map(({ name }) => name),
  })
}

function cacheInfo(cache: CacheTarget, run: BenchRun<Cell>): CacheInfo {
  const { name, kind } = cache
  return cache.kind === 'in-process'
    ? { name, kind, share: cache.share, url: null, server: {} }
    : { name, kind, share: null, url: cache.url, server: run.serverOf(cache) }
}
