import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseSize } from '../../data/size-list.ts'
import { parseDuration } from '../../driven/given/duration.ts'
import { choice, lengthTexts } from '../../driven/given/workload-inputs.ts'
import type { Configured, TextForm } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'
import { parseLevels } from './levels.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)
const whole = (help: string): z.ZodOptional<z.ZodInt> => z.int().min(1).max(1e9).optional().describe(help)

/** The fields of the command line. */
export const consistencyInputs: z.ZodType = z.strictObject({
  levels: text(
    'levels to compare, such as strong,eventual or write:quorum/read:one (default: strong and eventual, or all that the store declares)',
  ),
  only: text('measure only throughput, or only stale reads'),
  callers: text('callers that each wait for their answer (default: 1,8,32)'),
  records: whole('records for the throughput (default: 1000)'),
  valueSize: text('bytes of values, such as 1K (default: 1000)'),
  readShare: z
    .number()
    .min(0)
    .max(100)
    .optional()
    .describe('per cent of reads in the throughput (default: 80)'),
  duration: text('length of a measurement of throughput, such as 5s (default: 2s)'),
  warmup: text('length of the warm-up, such as 2s (default: 2s)'),
  probes: whole('writes in a run that readers follow (default: 100)'),
  probeRate: z.number().positive().max(10_000).optional().describe('such writes a second (default: 25)'),
  delays: text('milliseconds after a write at which readers read (default: 0,1,2,5,10,20,50,…,1000)'),
  horizon: text('how long a reader waits to see a write, such as 10s (default: 2s)'),
  disturb: text('command that delays or cuts a node; all is measured without it, then with it'),
  undo: text('command that undoes it; runs even after Ctrl-C'),
  runs: z.int().min(1).max(1_000).optional().describe('measured runs of everything (default: 5)'),
  ...studyShape,
})

/** How the fields are written. */
export const consistencyTexts: Readonly<Record<string, TextForm>> = {
  ...lengthTexts,
  levels: { argument: '<list>', parse: parseLevels },
  only: choice('throughput', 'stale'),
  callers: { argument: '<list>', parse: (given) => numbersOf('--callers', given, 1) },
  valueSize: { argument: '<size>', parse: parseSize },
  delays: { argument: '<list>', parse: (given) => numbersOf('--delays', given, 0) },
  horizon: { argument: '<time>', parse: parseDuration },
  disturb: { argument: '<command>', parse: (given) => given },
  undo: { argument: '<command>', parse: (given) => given },
}

function numbersOf(option: string, list: string, least: number): readonly number[] {
  const values = list.split(',').map((part) => {
    const value = part.trim() === '' ? Number.NaN : Number(part)
    if (value >= least && Number.isFinite(value)) return value
    throw wrong(`${option}: '${part.trim()}' is not a number from ${least}. Write a list such as 1,5,20.`)
  })
  return [...new Set(values)].toSorted((a, b) => a - b)
}

interface Given {
  readonly only?: 'throughput' | 'stale'
  readonly duration?: number
  readonly warmup?: number
  readonly delays?: readonly number[]
  readonly horizon?: number
  readonly disturb?: string
  readonly undo?: string
}

/** The input of a configuration: the fields by the names there. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<Configured> {
  const { only, duration, warmup, delays, horizon, disturb, undo, ...others } = fields as Given
  if ((disturb === undefined) !== (undo === undefined))
    throw wrong(
      `--${disturb === undefined ? 'undo' : 'disturb'} needs --${disturb === undefined ? 'disturb' : 'undo'} beside it.`,
    )
  const named = {
    parts: only === undefined ? undefined : [only],
    durationMs: duration,
    warmupMs: warmup,
    delaysMs: delays,
    horizonMs: horizon ?? horizonFor(delays),
    disturbance: disturb === undefined ? undefined : { disturb, undo },
  }
  const given = Object.entries(named).filter(([, value]) => value !== undefined)
  return { config: { ...others, ...Object.fromEntries(given) }, warnings: [] }
}

/** Late delays need a later horizon than the default. */
function horizonFor(delays: readonly number[] | undefined): number | undefined {
  const last = delays?.at(-1) ?? 0
  return last > 1_000 ? 2 * last : undefined
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
