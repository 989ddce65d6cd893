import type { StudyResult } from '../../study/study.ts'
import type { SizesConfig } from './config.ts'

/** Everything that one run of the study found: `result.json`. Times are in milliseconds, shares between 0 and 1. */
export type SizesResult = StudyResult<SizesConfig, SizesBody>

/** The fields of a result beyond those of every study. */
export interface SizesBody {
  readonly caches: readonly CacheInfo[]
  readonly points: readonly PointInfo[]
  readonly latency: readonly LatencySeries[]
  readonly cache: readonly CacheSeries[]
  readonly encryption: readonly CodecSeries[]
  readonly compression: readonly CodecSeries[]
}

/** A cache that was measured in front of the stores. */
export interface CacheInfo {
  readonly name: string
  readonly kind: 'in-process' | 'remote'
  /** How an in-process cache shares its objects. */
  readonly share: 'freeze' | 'reference' | 'copy' | null
  /** Where a remote one is, without user info. */
  readonly url: string | null
  /** Facts that its server reports about itself. */
  readonly server: Readonly<Record<string, string>>
}

/** A place on the size axis. */
export interface PointInfo {
  readonly size: number
  readonly minBytes: number
  readonly maxBytes: number
  /** Distinct objects that every store wrote in every run: fewer than planned where phases ended early. */
  readonly operations: number
  /** Original bytes over bytes after gzip: how compressible the objects are. */
  readonly gzipRatio: number
}

/** The summary of several runs of one thing at one size. */
export interface Measured {
  /** Mean of each run, in the order of the runs. */
  readonly runsMs: readonly number[]
  /** Median of each run, in the order of the runs. */
  readonly runMediansMs: readonly number[]
  readonly meanMs: number
  /** Sample standard deviation of the runs; `null` of one run. */
  readonly deviationMs: number | null
  /** Half-width of the 95 % confidence interval of the mean (Student's t); `null` of fewer than three runs. */
  readonly halfWidthMs: number | null
  /** Mean of the warm-up, which is not counted. */
  readonly warmUpMs: number | null
  /** Distinct objects, in the run with the fewest. */
  readonly objects: number
  /** Operations of all runs together, repetitions included. */
  readonly operations: number
  readonly operationsPerSecond: number
  /** Median over all operations of all runs. */
  readonly p50Ms: number
  /** The same for other percentiles; `null` where there are fewer than 10 / (1 − p) operations. */
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly maxMs: number
}

/** One operation of one store over all sizes. */
export interface LatencySeries {
  readonly store: string
  readonly operation: 'read' | 'write' | 'delete'
  readonly mode: 'sequential' | 'parallel'
  /** Operations in flight. */
  readonly inFlight: number
  readonly points: readonly (Measured & { readonly size: number })[]
}

/** Reads of one store through one cache over all sizes. */
export interface CacheSeries {
  readonly store: string
  readonly cache: string
  readonly points: readonly CachePoint[]
  /** Slope of the hit latency over size on log-log axes: 0 is flat. `null` of fewer than two sizes. */
  readonly hitSlope: number | null
}

/** Reads of one store through one cache at one size. */
export interface CachePoint {
  readonly size: number
  /** Reads without the cache. */
  readonly store: Measured
  readonly hit: Measured
  readonly miss: Measured
  /** L(h) = h · hit + (1 − h) · store, as in the paper. */
  readonly paper: readonly RatedLatency[]
  /** L(h) = h · hit + (1 − h) · miss. */
  readonly full: readonly RatedLatency[]
  /** From this hit rate on the cache pays; `null` if it never does. */
  readonly breakEvenHitRate: number | null
  /** With a cache driven to exactly this share of hits. */
  readonly measured: readonly DrivenLatency[]
}

/** A latency at a hit rate. */
export interface RatedLatency {
  readonly hitRate: number
  readonly ms: number
}

/** A measured latency at a hit rate. */
export interface DrivenLatency extends Measured {
  readonly hitRate: number
  /** Hits and reads of one run. */
  readonly hits: number
  readonly reads: number
}

/** One algorithm over all sizes: `encode` encrypts or compresses, `decode` undoes it. */
export interface CodecSeries {
  readonly algorithm: string
  readonly points: readonly CodecPoint[]
}

/** One algorithm at one size. */
export interface CodecPoint {
  readonly size: number
  readonly encode: Measured
  readonly decode: Measured
  /** Original bytes over encoded bytes. */
  readonly ratio: number
}
