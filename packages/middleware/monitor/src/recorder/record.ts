import type { Bytes } from '@unikv/core'
import { errorCodes, StoreError } from '@unikv/core/adapter'
import { type HistogramJson, histogramJson, histogramOf } from '@unikv/core/histogram'
import { z } from 'zod'
import type { Answers, Frame } from '../figures.ts'
import { isOperation } from '../operation.ts'
import { queryNamed } from '../query.ts'
import { type Resolution, resolutions } from './periods.ts'
import type { ProcessLoad } from './process-load.ts'
import type { ServerFeatures } from './servers.ts'

/** The writer of a record. */
export interface Writer {
  /** Each recorder has its own. */
  readonly id: string
  /** A name for people, such as `web-1:4711`. */
  readonly name: string
}

/** The work of one process in a span of time, as it is kept. */
export interface KeptRecord {
  readonly writer: Writer
  /** The period of a summary; `now`: the last seconds. */
  readonly resolution: Resolution | 'now'
  /** When the span began, and the last moment of it that was seen. */
  readonly fromAt: number
  readonly toAt: number
  /** How often the process writes, in milliseconds. */
  readonly everyMs: number
  readonly frame: Frame
  /** Servers of its stores, in a record of the last seconds. */
  readonly servers?: { readonly [store: string]: ServerFeatures } | undefined
  /** How busy the process was, in a record of the last seconds. */
  readonly process?: ProcessLoad | undefined
}

const whole = z.int().min(0)
const counts = z.record(z.string(), whole)
const times = z.strictObject({
  precisionBits: whole,
  highest: z.number(),
  count: whole,
  sum: z.number(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  overflows: whole,
  buckets: z.array(z.tuple([whole, whole])),
})
const answers = z.strictObject({ count: whole, times: times.optional() })
const figures = z.strictObject({
  items: whole,
  late: whole,
  misses: whole,
  absent: whole,
  stale: whole,
  conditionsFailed: whole,
  bytes: whole,
  errors: counts,
  hits: counts,
  atOnce: answers,
  awaited: answers,
})
const rate = z.number().optional()
const server = z.strictObject({
  at: z.number(),
  statistics: z.record(z.string(), z.union([z.number(), z.string()])),
  growthBytesPerHour: rate,
  operationsPerSecond: rate,
  evictionsPerSecond: rate,
  cacheHitRate: rate,
  error: z.enum(errorCodes).optional(),
})
const load = z.strictObject({
  cpuShare: z.number(),
  loopShare: z.number(),
  loopDelayMs: z.number(),
  memoryBytes: z.number(),
  memoryShare: z.number(),
  heapBytes: z.number(),
  heapShare: z.number(),
})
const schema = z.strictObject({
  format: z.literal(1),
  writer: z.strictObject({ id: z.string(), name: z.string() }),
  resolution: z.enum([...resolutions, 'now']),
  fromAt: z.number(),
  toAt: z.number(),
  everyMs: z.number(),
  stores: z.record(
    z.string(),
    z.record(
      z.string().refine((name) => isOperation(name) || queryNamed(name) !== undefined),
      figures,
    ),
  ),
  servers: z.record(z.string(), server).optional(),
  process: load.optional(),
})

/** A record as JSON in UTF-8. */
export function encoded({ frame, ...rest }: KeptRecord): Bytes {
  const stores = mapFigures(frame, (its) => ({ ...its, ...mapAnswers(its, jsonOf) }))
  return new TextEncoder().encode(JSON.stringify({ format: 1, ...rest, stores }))
}

/**
 * The record that `encoded` wrote.
 *
 * @throws {StoreError} `CORRUPT` for anything else
 */
export function decoded(key: string, bytes: Uint8Array): KeptRecord {
  try {
    const { stores, format: _format, ...rest } = schema.parse(JSON.parse(new TextDecoder().decode(bytes)))
    const frame = mapFigures(stores, (its) => ({
      ...its,
      ...mapAnswers(its, ({ times: json, count }): Answers => ({ count, times: json && histogramOf(json) })),
    }))
    return { ...rest, frame }
  } catch (cause) {
    const what = `The record ${key} of a monitor is not what this recorder writes. Another version may have written it; delete it, or read it with that one.`
    throw new StoreError('CORRUPT', what, { cause, key })
  }
}

function jsonOf({ count, times: histogram }: Answers): { count: number; times?: HistogramJson } {
  return histogram === undefined ? { count } : { count, times: histogramJson(histogram) }
}

function mapAnswers<A, B>(its: { readonly atOnce: A; readonly awaited: A }, map: (answers: A) => B) {
  return { atOnce: map(its.atOnce), awaited: map(its.awaited) }
}

function mapFigures<A, B>(
  stores: { readonly [store: string]: { readonly [operation: string]: A | undefined } },
  map: (figures: A) => B,
): Record<string, Record<string, B>> {
  const entries = Object.entries(stores).map(([store, operations]) => [
    store,
    Object.fromEntries(
      Object.entries(operations).flatMap(([name, its]) => (its === undefined ? [] : [[name, map(its)]])),
    ),
  ])
  return Object.fromEntries(entries)
}
