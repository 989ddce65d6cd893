import { z } from 'zod'
import {
  allowedMisses,
  callers,
  connectionCount,
  mergedCalls,
  mostOperations,
  runLength,
  threadCount,
  warmupLength,
} from '../../driven/given/loop-options.ts'
import { workloadSchema } from '../../operations/workload.ts'
import { option, type Plain } from '../../options/option.ts'
import { runsSchema, studyShape } from '../../study/study-config.ts'
import { axisFields, defaultAxis, parseAxis } from './axis.ts'
import { parseLoad, sweepLoad } from './loads.ts'

const axis = z.strictObject({
  field: z.enum(axisFields),
  /** They rise. */
  values: z.array(z.number().min(0)).min(1).max(100),
})

/** The schema of a configuration, with defaults. */
export const sweepConfigSchema = z.strictObject({
  over: option(axis.prefault({ ...defaultAxis, values: [...defaultAxis.values] }), {
    help: 'parameter and its values, such as value-size=100,1K,10K',
    argument: '<parameter=values>',
    parse: parseAxis,
    preset: 'concurrency=1,2,5,…,1000',
    guide: `Parameters are ${axisFields.map((field) => `\`${field}\``).join(', ')}.`,
  }),
  /** Measured one after the other, each with a curve of its own; at least one. */
  loads: option(z.array(sweepLoad).min(1), {
    flag: 'load',
    help: 'operations that get a curve of their own, such as browse:read=95,update=5',
    argument: '<name:mix>',
    parse: parseLoad,
    isRepeatable: true,
    preset: 'reads and writes apart',
  }),
  /** Its mix is that of the first load. */
  workload: workloadSchema,
  /** Callers that each wait for their answer, unless the sweep goes over them. */
  concurrency: callers,
  threads: option(threadCount, { help: 'threads that share callers, each with a store of its own' }),
  merge: mergedCalls,
  connections: connectionCount,
  allowMisses: allowedMisses,
  /** Length of one run. */
  durationMs: runLength.default(5_000),
  /** Most operations of one run. */
  operations: mostOperations,
  warmupMs: warmupLength.default(2_000),
  runs: option(runsSchema.default(3), { help: 'measured runs of each value' }),
  ...studyShape,
})

/** The full configuration of the study, as it appears in the result. */
export type SweepConfig = Plain<typeof sweepConfigSchema>
