import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseDuration } from '../../driven/given/duration.ts'
import { parseRate } from '../../driven/given/rate.ts'
import { choice, lengthTexts, workloadInputs, workloadTexts } from '../../driven/given/workload-inputs.ts'
import { parseThreshold } from '../../driven/thresholds/threshold.ts'
import type { TextForm } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'
import { parsePhases } from './phases/given-phases.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)
const whole = (help: string, least = 1): z.ZodOptional<z.ZodInt> =>
  z.int().min(least).max(1e9).optional().describe(help)

/** The fields of the command line: a workload, and what differs from it. */
export const runInputs: z.ZodType = z.strictObject({
  workload: text('TypeScript or JavaScript module with operations of your own'),
  ...workloadInputs,
  table: text('use the records that bench load left in this table'),
  concurrency: whole('callers that each wait for their answer (default: 16)'),
  threads: whole('threads that share callers or rate, each with a store of its own (default: 1)'),
  workers: whole('workers elsewhere that share callers or rate: see bench worker (needs --queue)'),
  rate: text(
    'operations a second that begin whether or not earlier ones have ended; 100..1000/30s is a ramp, 100,200/10s are steps',
  ),
  arrivals: text('with a rate: constant or poisson (default: constant)'),
  maxInFlight: whole('with a rate: most operations in flight (default: 1024)'),
  whenFull: text('with a rate: drop or queue what is beyond that (default: drop)'),
  duration: text('length of a run, such as 30s or 5m (default: 10s)'),
  operations: whole('most operations of a run'),
  warmup: text('length of the warm-up, such as 5s, or steady: until its seconds are alike (default: 2s)'),
  phases: z
    .unknown()
    .optional()
    .describe(
      'parts of a run with name, mix, rate or concurrency, and duration, as JSON; easier in a --config file',
    ),
  runs: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('measured runs of each store (default: 3, and at most 30 with --until)'),
  reset: text('bring the records back as they were loaded, before each run: snapshot (default: none)'),
  save: text('command that keeps the loaded records, such as a backup; it gets their place as JSON'),
  restore: text('command that brings them back before each run (with --save)'),
  until: text('stop after the run in which the 95 % interval is this narrow, such as 2%'),
  failIf: text('fail (exit 3) if so, such as "read.p99 > 10ms" or "errors > 0.1%" (repeatable)'),
  failFast: z.boolean().optional().describe('end the run when a threshold is crossed beyond doubt'),
  ...studyShape,
})

/** How the fields are written. */
export const runTexts: Readonly<Record<string, TextForm>> = {
  ...workloadTexts,
  workload: { argument: '<file>', parse: (given) => given },
  table: { argument: '<name>', parse: (given) => given },
  ...lengthTexts,
  warmup: {
    argument: '<time|steady>',
    parse: (given) => (given === 'steady' ? given : parseDuration(given)),
  },
  rate: { argument: '<rate>', parse: parseRate },
  arrivals: choice('constant', 'poisson'),
  whenFull: choice('drop', 'queue'),
  phases: { argument: '<json>', parse: parsePhases },
  reset: choice('none', 'snapshot'),
  save: { argument: '<command>', parse: (given) => given },
  restore: { argument: '<command>', parse: (given) => given },
  until: { argument: '<share>', parse: parseShare },
  failIf: { argument: '<threshold>', isRepeatable: true, parse: parseThreshold },
}

function parseShare(given: string): number {
  const [, amount] = /^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(given) ?? []
  const share = Number(amount) / 100
  if (share > 0 && share <= 1) return share
  throw new StoreError('INVALID_ARGUMENT', `'${given}' is not a share. Write it like 2% or 0.5%.`)
}
