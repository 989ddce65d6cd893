import { z } from 'zod'
import { keyLawSchema, parseKeyLaw } from '../keys/key-law.ts'
import { keyNamesSchema } from '../keys/key-space.ts'
import { eachPhaseHas, option, type Plain } from '../options/option.ts'
import { lengthLawSchema, lengthText } from '../values/length-law.ts'
import { parseLengthLaw } from '../values/parse-length-law.ts'
import {
  type ModuleReference,
  moduleReferenceSchema,
  needsMix,
  noOperation,
  parseMix,
  unknownIn,
} from './mix.ts'

const weights = z
  .record(z.string(), z.number().min(0))
  .refine((mix) => Object.values(mix).some((weight) => weight > 0), 'no operation has a weight above 0')

/** The schema of a workload, with its defaults. */
export const workloadSchema = z
  .strictObject({
    /** Such as `b`, or the name of its file. */
    name: option(z.string(), { alike: null }),
    /** Operations by weight, built-in ones and those of the module; weights need no sum. */
    mix: option(weights, {
      help: 'operations by weight, such as read=80,update=20',
      argument: '<mix>',
      parse: parseMix,
      preset: 'that of the workload',
      idle: [eachPhaseHas(({ mix }) => mix !== null)],
      alike: 'mix',
    }),
    /** Records that are there before the run. */
    records: option(z.int().min(1).max(1e9), {
      help: 'records to load',
      preset: '10000',
      alike: 'number of records',
    }),
    /** The number of the first one. */
    firstRecord: option(z.int().min(0).default(0), { alike: null }),
    keys: option(keyLawSchema, {
      help: 'law of the keys: uniform, zipfian, latest, hotspot, exponential, sequential',
      argument: '<law>',
      parse: parseKeyLaw,
      preset: 'that of the workload',
      guide: 'Also with numbers, as in `zipfian-exact:0.8` or `hotspot:0.2,0.8`, or as `histogram:FILE`.',
      alike: 'law of keys',
    }),
    keyNames: option(keyNamesSchema.prefault({}), { alike: 'names of keys' }),
    /** Bytes of values. */
    values: option(lengthLawSchema.prefault({ kind: 'constant', length: 1_000 }), {
      flag: 'value-size',
      help: 'bytes of values, such as 1K or 100..10K',
      argument: '<sizes>',
      parse: parseLengthLaw,
      textOf: lengthText,
      guide: 'Also `lognormal:1K,0.5` or `histogram:FILE`.',
      alike: 'lengths of values',
    }),
    /** Records of a scan. */
    scan: option(lengthLawSchema.prefault({ kind: 'uniform', least: 1, most: 100 }), {
      flag: 'scan-length',
      help: 'records of a scan, such as 20 or 1..100',
      argument: '<range>',
      parse: parseLengthLaw,
      textOf: lengthText,
      idle: [needsMix('scan')],
      alike: 'lengths of scans',
    }),
    /** Records of a batch. */
    batch: option(z.int().min(1).max(10_000).default(10), {
      help: 'records of a batch',
      idle: [needsMix('batch-read', 'batch-write', 'batch-insert')],
      alike: 'size of batches',
    }),
    /** Compare the values that reads return with those that were written; of scans with hashed keys only the first one. */
    check: option(z.boolean().default(false), {
      help: 'compare what reads return with what was written',
      idle: [needsMix('read', 'read-modify-write', 'batch-read', 'scan')],
      alike: 'check of reads',
    }),
    /** Where own operations are; `null`: the mix names none. */
    module: option(moduleReferenceSchema.nullable().default(null), {
      alike: 'module of operations',
      agreeing: (module: ModuleReference | null) => module?.sha256 ?? null,
    }),
  })
  .superRefine(({ mix, module }, context) => {
    const unknown = unknownIn(mix, module)
    if (unknown !== undefined)
      context.addIssue({ code: 'custom', path: ['mix'], message: noOperation(unknown, module) })
  })

/** The work that a run gives to a store. Plain data: it stands in the result. */
export type Workload = Plain<typeof workloadSchema>
