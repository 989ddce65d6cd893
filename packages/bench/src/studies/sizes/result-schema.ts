import { z } from 'zod'
import type { SizesBody } from './result.ts'

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

/** The fields of a result that are its own. */
export const sizesBodyShape: { readonly [K in keyof SizesBody]: z.ZodType<SizesBody[K]> } = {
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
}
