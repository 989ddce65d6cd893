import { z } from 'zod'
import { rowSchema } from '../../cube/row.ts'
import { parseSize, sizeText } from '../../data/size-list.ts'
import { valueBytes } from '../../driven/given/loop-options.ts'
import { length, time } from '../../options/forms.ts'
import { option, type Plain, type PlainShape } from '../../options/option.ts'
import { wrong } from '../../study/faults.ts'
import type { StudyResult } from '../../study/study.ts'
import { milliseconds, runsSchema, studyShape } from '../../study/study-config.ts'
import { layersOf } from './layers.ts'
import { peerNames } from './peers.ts'

const count = z.int().min(1)

/** The schema of a configuration, with defaults. */
export const overheadConfigSchema = z.strictObject({
  /** Records in the store at each stage; they rise. */
  volumes: option(z.array(count.max(1e9)).min(1).default([10_000]), {
    flag: 'records',
    help: 'records in the store, such as 10K or 10K,20K,40K',
    guide: 'A list shows whether the cost grows with them.',
    argument: '<list>',
    parse: volumesOf,
    textOf: (volumes) => (volumes as readonly number[]).map(sizeText).join(','),
  }),
  /** Layers of a further side, from the outermost on, as in a configuration of @unikv/manager; none: no such side. */
  layers: option(z.array(z.unknown()).default([]), {
    help: "a further side: unikv with these layers, the outermost first, such as 'cache,json,encryption'",
    argument: '<list>',
    parse: layersOf,
    takesJson: true,
  }),
  /** Other libraries of the user's project as sides, over the stores where they are known. */
  beside: option(z.array(z.enum(peerNames)).default([]), {
    help: 'further sides: other libraries of your project, keyv, unstorage or both',
  }),
  /** Callers that each wait for their answer. */
  callers: option(count.max(1_000).default(1), { help: 'callers that each wait for their answer' }),
  /** Bytes of a value. */
  valueSize: valueBytes,
  /** Length of a measurement of one operation by one side. */
  durationMs: option(milliseconds.default(500), {
    flag: 'duration',
    help: 'length of one measurement',
    ...length,
  }),
  /** The same before the first one, whose figures are not used. */
  warmupMs: option(milliseconds.default(2_000), {
    flag: 'warmup',
    help: 'the same before the first, whose figures are not used',
    ...time,
  }),
  /** Time for all stores, in equal shares: volumes that would not fit are not run; `null`: as long as it takes. */
  budgetMs: option(milliseconds.nullable().default(null), {
    flag: 'budget',
    help: 'time for all stores, such as 10m: volumes that would not fit are not run, and named',
    ...length,
  }),
  runs: option(runsSchema.default(9), { help: 'measured runs of each operation' }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type OverheadConfig = Plain<typeof overheadConfigSchema>

function volumesOf(list: string): readonly number[] {
  const values = list.split(',').map((part) => volumeOf(part.trim()))
  return [...new Set(values)].toSorted((a, b) => a - b)
}

function volumeOf(given: string): number {
  try {
    return parseSize(given)
  } catch {
    throw wrong(`'${given}' is not a number of records. Write them like 10000 or 10K,20K,40K.`)
  }
}

const end = z.number().nullable()
const operation = z.enum(['insert', 'read', 'update', 'delete', 'search'])
const side = z.enum(['native', 'unikv', 'layers', 'keyv', 'unstorage'])
const ms = z.number().min(0)

/** The schema of `OverheadBody`. */
export const overheadBodyShape = {
  /** Times of each side, and what it adds to the native client, run by run: medians over the runs. */
  rows: z.array(rowSchema),
  /** Stores with three volumes or more have them. */
  trends: z.array(
    z.strictObject({
      store: z.string(),
      operation,
      side,
      /** Milliseconds for each doubling of the volume. */
      slopeMs: z.number(),
      /** Its 95 % interval; `null`: there are too few runs and volumes for one. */
      lowMs: end,
      highMs: end,
      /** `constant`: the interval of the slope holds zero; `unclear`: there is no interval. */
      verdict: z.enum(['constant', 'grows', 'falls', 'unclear']),
    }),
  ),
  /** Volumes that were left out. */
  notRun: z.array(
    z.strictObject({
      store: z.string(),
      volume: z.int().min(1),
      needsMs: ms,
      leftMs: ms,
    }),
  ),
}

/** All that `unikv bench overhead` found: `result.json`. */
export type OverheadResult = StudyResult<OverheadConfig, OverheadBody>

/** How the cost of an operation by a side changes as the volume grows. */
export type OverheadTrend = OverheadBody['trends'][number]

/** A volume that did not fit into the time. Times are milliseconds. */
export type NotRun = OverheadBody['notRun'][number]

/** The fields of a result that are its own. */
export type OverheadBody = PlainShape<typeof overheadBodyShape>
