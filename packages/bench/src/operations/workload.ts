import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { type KeyLaw, keyLawSchema } from '../keys/key-law.ts'
import { type KeyNames, keyNamesSchema } from '../keys/key-names.ts'
import { type ModuleReference, moduleReferenceSchema } from '../own/module-reference.ts'
import { type LengthLaw, lengthLawSchema } from '../values/length-law.ts'
import { operationNames } from './kinds.ts'

/** The work that a run gives to a store. Plain data: it stands in the result. */
export interface Workload {
  /** Such as `b`, or the name of its file. */
  readonly name: string
  /** Records that are there before the run. */
  readonly records: number
  /** The number of the first one. */
  readonly firstRecord: number
  /** Operations by weight, built-in ones and those of the module; weights need no sum. */
  readonly mix: Readonly<Record<string, number>>
  readonly keys: KeyLaw
  readonly keyNames: KeyNames
  /** Bytes of values. */
  readonly values: LengthLaw
  /** Records of a scan. */
  readonly scan: LengthLaw
  /** Records of a batch. */
  readonly batch: number
  /** Compare the values that reads return with those that were written; of scans with hashed keys only the first one. */
  readonly check: boolean
  /** Where own operations are; `null`: the mix names none. */
  readonly module: ModuleReference | null
}

const weights = z
  .record(z.string(), z.number().min(0))
  .refine((mix) => Object.values(mix).some((weight) => weight > 0), 'no operation has a weight above 0')

/** The schema of a workload, with its defaults. */
export const workloadSchema: z.ZodType<Workload> = z
  .strictObject({
    name: z.string(),
    records: z.int().min(1).max(1e9),
    firstRecord: z.int().min(0).default(0),
    mix: weights,
    keys: keyLawSchema,
    keyNames: keyNamesSchema.prefault({}),
    values: lengthLawSchema.prefault({ kind: 'constant', length: 1_000 }),
    scan: lengthLawSchema.prefault({ kind: 'uniform', least: 1, most: 100 }),
    batch: z.int().min(1).max(10_000).default(10),
    check: z.boolean().default(false),
    module: moduleReferenceSchema.nullable().default(null),
  })
  .superRefine(({ mix, module }, context) => {
    const unknown = unknownIn(mix, module)
    if (unknown !== undefined)
      context.addIssue({ code: 'custom', path: ['mix'], message: noOperation(unknown, module) })
  })

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
