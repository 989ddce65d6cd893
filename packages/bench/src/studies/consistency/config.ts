import { z } from 'zod'
import { runLength, valueBytes, warmupLength } from '../../driven/given/loop-options.ts'
import { choice, text, time } from '../../options/forms.ts'
import { option, type Plain } from '../../options/option.ts'
import { wrong } from '../../study/faults.ts'
import { milliseconds, runsSchema, studyShape } from '../../study/study-config.ts'
import { parseLevels } from './levels.ts'

const count = z.int().min(1)
const level = z.string().min(1)
const words = choice('throughput', 'stale')

/** Commands that disturb the servers and undo that again, for a second measurement of everything. */
const disturbance = z.strictObject({
  /** Such as one that pauses a node. It must end by itself. */
  disturb: option(z.string().min(1), {
    help: 'command that delays or cuts a node; all is measured without it, then with it',
    ...text('<command>'),
  }),
  undo: option(z.string().min(1), {
    help: 'command that undoes it; runs even after Ctrl-C',
    ...text('<command>'),
  }),
})

/** Commands that disturb the servers and undo that again, for a second measurement of everything. */
export type Disturbance = Plain<typeof disturbance>

/** The schema of a configuration, with defaults. */
export const consistencyConfigSchema = z.strictObject({
  /** The first pair is the one that the others are compared with; `null`: those that each store declares. */
  levels: option(
    z
      .array(z.strictObject({ write: level, read: level }))
      .min(1)
      .nullable()
      .default(null),
    {
      help: 'levels to compare, such as strong,eventual or write:quorum/read:one',
      argument: '<list>',
      parse: parseLevels,
      preset: 'strong and eventual, or all that the store declares',
    },
  ),
  /** The parts of the study to measure. */
  parts: option(
    z
      .array(z.enum(['throughput', 'stale']))
      .min(1)
      .default(['throughput', 'stale']),
    {
      flag: 'only',
      help: 'measure only throughput, or only stale reads',
      argument: words.argument,
      parse: (given) => [words.parse(given)],
      preset: 'both',
    },
  ),
  /** Numbers of callers that each wait for their answer; they rise. */
  callers: option(z.array(count.max(100_000)).min(1).max(100).default([1, 8, 32]), {
    help: 'callers that each wait for their answer',
    argument: '<list>',
    parse: (given) => numbersOf('--callers', given, 1),
  }),
  records: option(count.max(1e9).default(1_000), { help: 'records for the throughput' }),
  /** Bytes of a value. */
  valueSize: valueBytes,
  /** Per cent of the operations that read; the others update. */
  readShare: option(z.number().min(0).max(100).default(80), {
    help: 'per cent of reads in the throughput; the others update',
  }),
  /** Length of a measurement of throughput. */
  durationMs: option(runLength, { help: 'length of a measurement of throughput, such as 5s' }).default(2_000),
  warmupMs: warmupLength.default(2_000),
  /** Writes in a run that are followed by reads. */
  probes: option(count.max(100_000).default(100), { help: 'writes in a run that readers follow' }),
  /** So many begin in a second. */
  probeRate: option(z.number().positive().max(10_000).default(25), { help: 'such writes a second' }),
  /** Each reader reads at these times after a write was acknowledged; they rise. */
  delaysMs: option(
    z
      .array(z.number().min(0).max(3_600_000))
      .min(1)
      .max(100)
      .default([0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]),
    {
      flag: 'delays',
      help: 'milliseconds after a write at which readers read',
      argument: '<list>',
      parse: (given) => numbersOf('--delays', given, 0),
      preset: '0,1,2,5,10,20,50,…,1000',
    },
  ),
  /** A write that a reader does not see by then counts as seen later. */
  horizonMs: option(milliseconds.default(2_000), {
    flag: 'horizon',
    help: 'how long a reader waits to see a write, such as 10s',
    ...time,
    guide: 'Twice the last delay, if that is later than a second.',
  }),
  disturbance: disturbance.nullable().default(null),
  runs: option(runsSchema.default(5), { help: 'measured runs of everything' }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type ConsistencyConfig = Plain<typeof consistencyConfigSchema>

function numbersOf(name: string, list: string, least: number): readonly number[] {
  const values = list.split(',').map((part) => {
    const value = part.trim() === '' ? Number.NaN : Number(part)
    if (value >= least && Number.isFinite(value)) return value
    const message = `${name}: '${part.trim()}' is not a number from ${least}. Write a list such as 1,5,20.`
    throw wrong(message)
  })
  return [...new Set(values)].toSorted((a, b) => a - b)
}
