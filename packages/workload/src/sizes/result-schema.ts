import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { sizesConfigSchema } from './config.ts'
import type { SizesResult } from './result.ts'

const count = z.int().min(0)
const ms = z.number().min(0)
const optionalMs = ms.nullable()

const measured = {
  runsMs: z.array(ms).min(1),
  runMediansMs: z.array(ms).min(1),
  meanMs: ms,
  deviationMs: optionalMs,
  halfWidthMs: optionalMs,
  warmUpMs: optionalMs,
  objects: count,
  operations: count,
  operationsPerSecond: z.number().min(0),
  p50Ms: ms,
  p95Ms: optionalMs,
  p99Ms: optionalMs,
  maxMs: ms,
}
const hitRate = z.number().min(0).max(1)
const rated = z.array(z.strictObject({ hitRate, ms }))
const size = z.int().min(1)

const cachePoint = z.strictObject({
  size,
  store: z.strictObject(measured),
  hit: z.strictObject(measured),
  miss: z.strictObject(measured),
  paper: rated,
  full: rated,
  breakEvenHitRate: hitRate.nullable(),
  measured: z.array(z.strictObject({ ...measured, hitRate, hits: count, reads: count })),
})

const codecSeries = z.strictObject({
  algorithm: z.string(),
  points: z.array(
    z.strictObject({
      size,
      encode: z.strictObject(measured),
      decode: z.strictObject(measured),
      ratio: z.number().positive(),
    }),
  ),
})

const server = z.record(z.string(), z.string())

const environment = z.strictObject({
  node: z.string(),
  v8: z.string(),
  platform: z.string(),
  release: z.string(),
  architecture: z.string(),
  cpu: z.string(),
  cores: count,
  memoryBytes: count,
})

/** What `result.json` holds; strict, so that a reader notices a format that it does not know. */
export const sizesResultSchema: z.ZodType<SizesResult> = z.strictObject({
  format: z.literal('unikv.bench-sizes'),
  formatVersion: z.literal(2),
  status: z.enum(['complete', 'interrupted', 'failed', 'invalid']),
  error: z.string().nullable(),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  elapsedMs: ms,
  config: sizesConfigSchema,
  environment,
  command: z.string().nullable(),
  versions: z.record(z.string(), z.string()),
  data: z.strictObject({ kind: z.enum(['synthetic', 'files', 'module']), description: z.string() }),
  stores: z.array(
    z.strictObject({
      name: z.string(),
      url: z.string(),
      adapter: z.string(),
      durability: z.string(),
      server,
    }),
  ),
  caches: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['in-process', 'remote']),
      share: z.enum(['freeze', 'reference', 'copy']).nullable(),
      url: z.string().nullable(),
      server,
    }),
  ),
  points: z.array(
    z.strictObject({
      size,
      minBytes: size,
      maxBytes: size,
      operations: size,
      gzipRatio: z.number().positive(),
    }),
  ),
  latency: z.array(
    z.strictObject({
      store: z.string(),
      operation: z.enum(['read', 'write', 'delete']),
      mode: z.enum(['sequential', 'parallel']),
      inFlight: size,
      points: z.array(z.strictObject({ ...measured, size })),
    }),
  ),
  cache: z.array(
    z.strictObject({
      store: z.string(),
      cache: z.string(),
      points: z.array(cachePoint),
      hitSlope: z.number().nullable(),
    }),
  ),
  encryption: z.array(codecSeries),
  compression: z.array(codecSeries),
})

/**
 * A result read back from `result.json`.
 *
 * @throws {StoreError} `CORRUPT` if the text is no result of this format
 */
export function parseSizesResult(text: string): SizesResult {
  try {
    return sizesResultSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new StoreError('CORRUPT', 'This is no result.json of unikv bench sizes.', { cause: error })
  }
}
