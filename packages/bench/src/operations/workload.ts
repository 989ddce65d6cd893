import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { keyLawSchema } from '../keys/key-law.ts'
import { keyNamesSchema } from '../keys/key-names.ts'
import { parseKeyLaw } from '../keys/parse-key-law.ts'
import { eachPhaseHas, type Idle, option } from '../options/option.ts'
import type { Plain } from '../options/plain.ts'
import { lengthLawSchema, lengthText } from '../values/length-law.ts'
import { parseLengthLaw } from '../values/parse-length-law.ts'
import { operationNames } from './kinds.ts'
import { type ModuleReference, moduleReferenceSchema } from './module-reference.ts'

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

/** The parts of a configuration that say which operations are done. */
interface Doing {
  readonly workload?: { readonly mix: Mix }
  readonly phases?: readonly { readonly mix: Mix | null }[]
  readonly loads?: readonly { readonly mix: Mix }[]
}

type Mix = Readonly<Record<string, number>>

/** An option that says nothing unless the run, a phase or a load of it does one of these operations. */
function needsMix(...operations: readonly string[]): Idle {
  const others = operations.slice(0, -1).join(', ')
  const named = others === '' ? operations[0] : `${others} or ${operations.at(-1)}`
  return {
    when: ({ workload, phases = [], loads = [] }: Doing) => {
      if (workload === undefined) return false
      const parts = [...phases.map(({ mix }) => mix ?? workload.mix), ...loads.map(({ mix }) => mix)]
      const mixes = parts.length === 0 ? [workload.mix] : parts
      return !mixes.some((mix) => operations.some((name) => (mix[name] ?? 0) > 0))
    },
    why: `needs a mix with ${named}.`,
  }
}

/** The operations of a mix with their weights: built-in ones in a fixed order, then own ones in that of the mix. */
export function mixOf({ mix }: Pick<Workload, 'mix'>): readonly (readonly [string, number])[] {
  const names = new Set<string>([...operationNames, ...Object.keys(mix)])
  return [...names].flatMap((name): [string, number][] => {
    const weight = mix[name] ?? 0
    return weight > 0 ? [[name, weight]] : []
  })
}

/**
 * A mix from text such as `read=80,update=20`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` naming the part that is wrong
 */
export function parseMix(text: string): Workload['mix'] {
  const mix: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [, name = '', weight = ''] = /^\s*([\w-]+)\s*=\s*([\d.]+)%?\s*$/.exec(part) ?? []
    const value = weight === '' ? Number.NaN : Number(weight)
    if (!Number.isFinite(value)) throw notAPart(part)
    if (Object.hasOwn(mix, name)) throw twice(name)
    mix[name] = value
  }
  return mix
}

/**
 * Refuse a mix with operations that are neither built in nor of the module.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkMix(mix: Workload['mix'], module: ModuleReference | null): void {
  const unknown = unknownIn(mix, module)
  if (unknown !== undefined) throw new StoreError('INVALID_ARGUMENT', `Mix: ${noOperation(unknown, module)}.`)
}

function unknownIn(mix: Workload['mix'], module: ModuleReference | null): string | undefined {
  const known = knownIn(module)
  return Object.keys(mix).find((name) => !known.includes(name))
}

function knownIn(module: ModuleReference | null): readonly string[] {
  return [...operationNames, ...(module?.operations ?? []).map(({ name }) => name)]
}

function noOperation(name: string, module: ModuleReference | null): string {
  return `there is no operation '${name}'; there are ${knownIn(module).join(', ')}`
}

function notAPart(part: string): StoreError {
  const message = `Mix: '${part.trim()}' is not an operation with a weight. Write it like read=80,update=20.`
  return new StoreError('INVALID_ARGUMENT', message)
}

function twice(name: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `Mix: ${name} has two weights. Name it once.`)
}
