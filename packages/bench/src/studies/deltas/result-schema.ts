import { z } from 'zod'
import { editPatterns } from './config.ts'
import type { DeltasBody } from './result.ts'

const ms = z.number().min(0)
const amount = z.number().min(0)
const share = z.number().min(0).max(1)

const timed = z.strictObject({
  runsMs: z.array(ms).min(1),
  meanMs: ms,
  halfWidthMs: ms.nullable(),
  p50Ms: ms.nullable(),
  p99Ms: ms.nullable(),
})

const way = z.strictObject({
  update: timed,
  read: timed,
  knownRead: timed,
  cpuNsPerByte: amount,
  sentBytes: amount,
  storedBytes: amount,
  readBytes: amount,
  knownReadBytes: amount,
  updateTrips: amount,
  readTrips: amount,
  knownReadTrips: amount,
})

const turning = z.strictObject({
  pays: z.enum(['always', 'never', 'up-to', 'from']),
  at: amount.nullable(),
})

const recommendation = z.strictObject({
  verdict: z.enum(['use', 'do-not-use', 'no-clear-difference']),
  reason: z.enum(['written-whole', 'saves-too-little', 'faster', 'slower', 'overlap', 'one-run']),
  plainMs: ms,
  deltaMs: ms,
  ratio: z.strictObject({ mean: amount, low: amount.nullable(), high: amount.nullable() }),
  network: turning,
  reads: turning,
})

/** The fields of a result that are its own. */
export const deltasBodyShape: { readonly [K in keyof DeltasBody]: z.ZodType<DeltasBody[K]> } = {
  points: z.array(
    z.strictObject({
      store: z.string(),
      size: z.int().min(1),
      edit: z.enum(editPatterns),
      share,
      valueBytes: amount,
      updates: z.int().min(0),
      deltaShare: share,
      plain: way,
      delta: way,
      recommendation,
    }),
  ),
}
