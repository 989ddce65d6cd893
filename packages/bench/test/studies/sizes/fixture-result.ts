import { Histogram } from '@unikv/core/histogram'
import { fastRandom, subSeed } from '../../../src/random/random.ts'
import type { CacheInfo, PointInfo, SizesConfig, SizesResult } from '../../../src/studies/sizes/config.ts'
import type { CodecSample } from '../../../src/studies/sizes/measure/measure-codec.ts'
import type { OperationSamples } from '../../../src/studies/sizes/measure/measure-latency.ts'
import { type PhaseSample, phaseHistogram } from '../../../src/studies/sizes/measure/phase.ts'
import { type Cell, type Planned, plan } from '../../../src/studies/sizes/plan.ts'
import { type CellRecord, rowsOf } from '../../../src/studies/sizes/rows.ts'
import { sizesConfig } from './run.ts'

export const fixtureSizes = [100, 1_000, 10_000, 100_000, 1_000_000]
const caches: readonly CacheInfo[] = [
  { name: 'memory', kind: 'in-process', share: 'reference', url: null, server: {} },
  { name: 'memory-freeze', kind: 'in-process', share: 'freeze', url: null, server: {} },
  { name: 'near', kind: 'remote', share: null, url: 'redis://127.0.0.1:6379', server: { version: '7.0.15' } },
]

/** A result as `benchSizes` would give it, over stores whose latencies follow simple laws. */
export function fixtureResult(
  changes: Partial<SizesConfig> = {},
  status: SizesResult['status'] = 'complete',
): SizesResult {
  const config = sizesConfig({
    sizes: fixtureSizes,
    encryption: ['aes-128-gcm'],
    compression: ['gzip', 'brotli'],
    measureHitRates: true,
    ...changes,
  })
  const subject: Planned = {
    config,
    points: fixtureSizes.map((size) => ({ size })),
    stores: [{ name: 'disk' }, { name: 'sql' }],
    caches,
  }
  return {
    format: 'unikv.bench-sizes',
    formatVersion: 3,
    status,
    error: status === 'failed' ? 'The store <b> went away.' : null,
    runId: '0193498f00000000deadbeef',
    startedAt: '2026-11-21T05:00:00.000Z',
    elapsedMs: 61_234,
    config,
    environment: {
      node: 'v20.20.2',
      v8: '11.3',
      platform: 'linux',
      release: '6.1',
      architecture: 'x64',
      cpu: 'A & B',
      cores: 2,
      memoryBytes: 2 ** 34,
    },
    command: 'npx unikv bench sizes --store disk=file:./d',
    versions: { unikv: '0.1.0' },
    data: { kind: 'synthetic', description: 'synthetic, compressibility 0.5' },
    stores: [
      { name: 'disk', url: 'file:./d', adapter: 'file', durability: 'flushed', server: {} },
      {
        name: 'sql',
        url: 'mysql://127.0.0.1/test',
        adapter: 'mysql',
        durability: 'buffered',
        server: { version: '8' },
      },
    ],
    caches,
    points: fixtureSizes.map(pointOf),
    rows: rowsOf(subject, plan(subject).map(record(config))),
  }
}

/** What a cell would have measured. */
function record(config: SizesConfig): (cell: Cell) => CellRecord {
  return (cell) => {
    const bytes = fixtureSizes[cell.point]!
    const point = pointOf(bytes)
    const phase = (ms: number, what: string): PhaseSample =>
      phaseOf(ms, subSeed(config.seed, what, cell.run, cell.point, cell.kind))
    if (cell.kind === 'latency') {
      const base = cell.store === 'disk' ? 0.03 + bytes * 4e-7 : 0.15 + bytes * 2e-6
      const samples = (factor: number): OperationSamples => ({
        read: phase(base * factor, `${cell.store}r`),
        write: phase((base + (cell.store === 'disk' ? 2 : 0.1)) * factor, `${cell.store}w`),
        delete: phase((base + 0.05) * factor, `${cell.store}d`),
      })
      return {
        cell,
        point,
        sample:
          config.parallel === 1
            ? { sequential: samples(1) }
            : { sequential: samples(1), parallel: samples(4) },
      }
    }
    if (cell.kind === 'cache') {
      const storeMs = cell.store === 'disk' ? 0.03 + bytes * 4e-7 : 0.15 + bytes * 2e-6
      const hitMs =
        cell.cache === 'memory'
          ? 0.0004
          : cell.cache === 'memory-freeze'
            ? 0.0005 + bytes * 1e-7
            : 0.08 + bytes * 1.2e-6
      const missMs = storeMs + (cell.cache === 'near' ? 2 * hitMs : 0.0005)
      const measured = config.measureHitRates
        ? config.hitRates.map((hitRate) => {
            const sample = phase(
              hitRate * hitMs + (1 - hitRate) * missMs,
              `${cell.store}${cell.cache}${hitRate}`,
            )
            return { hitRate, hits: Math.round(hitRate * 200), sample }
          })
        : []
      const sample = {
        store: phase(storeMs, 's'),
        hit: phase(hitMs, 'h'),
        miss: phase(missMs, 'm'),
        measured,
      }
      return { cell, point, sample }
    }
    const slow = cell.algorithm === 'gzip' ? 25e-6 : 3e-6
    const encodeMs = cell.kind === 'encryption' ? 0.009 + bytes * 4e-7 : 0.015 + bytes * slow
    const sample: CodecSample = {
      encode: phase(encodeMs, 'e'),
      decode: phase(cell.kind === 'encryption' ? encodeMs : 0.007 + bytes * 2e-6, 'd'),
      originalBytes: bytes * 200,
      encodedBytes: cell.kind === 'encryption' ? (bytes + 100) * 200 : bytes * 100,
    }
    return { cell, point, sample }
  }
}

/** 200 operations of about this latency. */
function phaseOf(ms: number, seed: number): PhaseSample {
  const random = fastRandom(seed)
  const runFactor = 0.97 + 0.06 * random.next()
  const histogram = new Histogram(phaseHistogram)
  for (let i = 0; i < 200; i++) histogram.record(ms * runFactor * (0.9 + 0.2 * random.next()) * 1e6)
  return {
    operations: 200,
    distinct: 200,
    meanMs: histogram.mean / 1e6,
    rate: 1e9 / histogram.mean,
    histogram,
  }
}

function pointOf(size: number): PointInfo {
  return {
    size,
    minBytes: size,
    maxBytes: size,
    operations: 200,
    gzipRatio: 1.9,
  }
}
