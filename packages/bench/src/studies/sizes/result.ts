import { z } from 'zod'
import type { PlainShape } from '../../options/plain.ts'
import type { StudyResult } from '../../study/study.ts'
import type { SizesConfig } from './config.ts'

const count = z.int().min(0)
const ms = z.number().min(0)
const optionalMs = ms.nullable()

const measured = {
  /** Mean of each run, in the order of the runs. */
  runsMs: z.array(ms).min(1),
  /** Median of each run, in the order of the runs. */
  runMediansMs: z.array(ms).min(1),
  meanMs: ms,
  /** Sample standard deviation of the runs; `null` of one run. */
  deviationMs: optionalMs,
  /** Half-width of the 95 % confidence interval of the mean (Student's t); `null` of fewer than three runs. */
  halfWidthMs: optionalMs,
  /** Mean of the warm-up, which is not counted. */
  warmUpMs: optionalMs,
  /** Distinct objects, in the run with the fewest. */
  objects: count,
  /** Operations of all runs together, repetitions included. */
  operations: count,
  operationsPerSecond: z.number().min(0),
  /** Median over all operations of all runs. */
  p50Ms: ms,
  /** The same for other percentiles; `null` where there are fewer than 10 / (1 − p) operations. */
  p95Ms: optionalMs,
  p99Ms: optionalMs,
  maxMs: ms,
}
const hitRate = z.number().min(0).max(1)
const rated = z.array(
  z.strictObject({
    hitRate,
    ms,
  }),
)
const size = z.int().min(1)

const cachePoint = z.strictObject({
  size,
  /** Reads without the cache. */
  store: z.strictObject(measured),
  hit: z.strictObject(measured),
  miss: z.strictObject(measured),
  /** L(h) = h · hit + (1 − h) · store, as in the paper. */
  paper: rated,
  /** L(h) = h · hit + (1 − h) · miss. */
  full: rated,
  /** From this hit rate on the cache pays; `null` if it never does. */
  breakEvenHitRate: hitRate.nullable(),
  /** With a cache driven to exactly this share of hits. */
  measured: z.array(
    z.strictObject({
      ...measured,
      hitRate,
      /** Hits and reads of one run. */
      hits: count,
      reads: count,
    }),
  ),
})

const codecSeries = z.strictObject({
  algorithm: z.string(),
  points: z.array(
    z.strictObject({
      size,
      encode: z.strictObject(measured),
      decode: z.strictObject(measured),
      /** Original bytes over encoded bytes. */
      ratio: z.number().positive(),
    }),
  ),
})

const server = z.record(z.string(), z.string())

/** The fields of a result that are its own. */
export const sizesBodyShape = {
  caches: z.array(
    z.strictObject({
      name: z.string(),
      kind: z.enum(['in-process', 'remote']),
      /** How an in-process cache shares its objects. */
      share: z.enum(['freeze', 'reference', 'copy']).nullable(),
      /** Where a remote one is, without user info. */
      url: z.string().nullable(),
      /** Facts that its server reports about itself. */
      server,
    }),
  ),
  points: z.array(
    z.strictObject({
      size,
      minBytes: size,
      maxBytes: size,
      /** Distinct objects that every store wrote in every run: fewer than planned where phases ended early. */
      operations: size,
      /** Original bytes over bytes after gzip: how compressible the objects are. */
      gzipRatio: z.number().positive(),
    }),
  ),
  latency: z.array(
    z.strictObject({
      store: z.string(),
      operation: z.enum(['read', 'write', 'delete']),
      mode: z.enum(['sequential', 'parallel']),
      /** Operations in flight. */
      inFlight: size,
      points: z.array(
        z.strictObject({
          ...measured,
          size,
        }),
      ),
    }),
  ),
  cache: z.array(
    z.strictObject({
      store: z.string(),
      cache: z.string(),
      points: z.array(cachePoint),
      /** Slope of the hit latency over size on log-log axes: 0 is flat. `null` of fewer than two sizes. */
      hitSlope: z.number().nullable(),
    }),
  ),
  encryption: z.array(codecSeries),
  compression: z.array(codecSeries),
}

/** Everything that one run of the study found: `result.json`. Times are in milliseconds, shares between 0 and 1. */
export type SizesResult = StudyResult<SizesConfig, SizesBody>

/** The fields of a result beyond those of every study. */
export type SizesBody = PlainShape<typeof sizesBodyShape>

/** A cache that was measured in front of the stores. */
export type CacheInfo = SizesBody['caches'][number]

/** A place on the size axis. */
export type PointInfo = SizesBody['points'][number]

/** The summary of several runs of one thing at one size. */
export type Measured = CachePoint['hit']

/** One operation of one store over all sizes. */
export type LatencySeries = SizesBody['latency'][number]

/** Reads of one store through one cache over all sizes. */
export type CacheSeries = SizesBody['cache'][number]

/** Reads of one store through one cache at one size. */
export type CachePoint = CacheSeries['points'][number]

/** A measured latency at a hit rate. */
export type DrivenLatency = CachePoint['measured'][number]

/** One algorithm over all sizes: `encode` encrypts or compresses, `decode` undoes it. */
export type CodecSeries = SizesBody['encryption'][number]

/** One algorithm at one size. */
export type CodecPoint = CodecSeries['points'][number]
