import { z } from 'zod'
import { invalidArgument } from '../options/invalid.ts'
import type { Idle, Plain } from '../options/option.ts'
import type { Random } from '../random/random.ts'

/** The operations that a mix may name. */
export const operationNames = [
  'read',
  'insert',
  'update',
  'delete',
  'scan',
  'read-modify-write',
  'conditional-update',
  'increment',
  'batch-read',
  'batch-write',
  'batch-insert',
] as const

/** The name of an operation of a mix. */
export type OperationName = (typeof operationNames)[number]

/** Operations by weight. */
type Mix = Readonly<Record<string, number>>

/** The schema of `ModuleReference`. */
export const moduleReferenceSchema = z.strictObject({
  /** As it was given: relative to the folder of the command. */
  file: z.string(),
  /** SHA-256 of its text, in hexadecimal digits. */
  sha256: z.string(),
  operations: z.array(
    z.strictObject({
      name: z.string(),
      needs: z.array(z.string()),
      tellsStale: z.boolean().default(false),
    }),
  ),
})

/** The module whose operations a mix names. Plain data. */
export type ModuleReference = Plain<typeof moduleReferenceSchema>

/** Those of these operations that tell stale reads. */
export function tellingStale(
  names: readonly string[],
  module: Pick<ModuleReference, 'operations'> | null,
): readonly string[] {
  return names.filter((one) => module?.operations.some(({ name, tellsStale }) => name === one && tellsStale))
}

/** The parts of a configuration that say which operations are done. */
interface Doing {
  readonly workload?: { readonly mix: Mix }
  readonly phases?: readonly { readonly mix: Mix | null }[]
  readonly loads?: readonly { readonly mix: Mix }[]
}

/** An option that says nothing unless the run, a phase or a load of it does one of these operations. */
export function needsMix(...operations: readonly string[]): Idle {
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
export function mixOf({ mix }: { readonly mix: Mix }): readonly (readonly [string, number])[] {
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
export function parseMix(text: string): Mix {
  const mix: Record<string, number> = {}
  for (const part of text.split(',')) {
    const [, name = '', weight = ''] = /^\s*([\w-]+)\s*=\s*([\d.]+)%?\s*$/.exec(part) ?? []
    const value = weight === '' ? Number.NaN : Number(weight)
    if (!Number.isFinite(value))
      throw invalidArgument(
        `Mix: '${part.trim()}' is not an operation with a weight. Write it like read=80,update=20.`,
      )
    if (Object.hasOwn(mix, name)) throw invalidArgument(`Mix: ${name} has two weights. Name it once.`)
    mix[name] = value
  }
  return mix
}

/**
 * Refuse a mix with operations that are neither built in nor of the module.
 *
 * @throws {StoreError} `INVALID_ARGUMENT`
 */
export function checkMix(mix: Mix, module: ModuleReference | null): void {
  const unknown = unknownIn(mix, module)
  if (unknown !== undefined) throw invalidArgument(`Mix: ${noOperation(unknown, module)}.`)
}

export function unknownIn(mix: Mix, module: ModuleReference | null): string | undefined {
  const known = knownIn(module)
  return Object.keys(mix).find((name) => !known.includes(name))
}

function knownIn(module: ModuleReference | null): readonly string[] {
  return [...operationNames, ...(module?.operations ?? []).map(({ name }) => name)]
}

export function noOperation(name: string, module: ModuleReference | null): string {
  return `there is no operation '${name}'; there are ${knownIn(module).join(', ')}`
}

/** Draws indexes by weight: one random number a draw. */
export function mixChooser(weights: readonly number[], random: Random): () => number {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let below = 0
  const bounds = weights.map((weight) => (below += weight / total))
  const last = weights.length - 1
  return () => {
    const drawn = random.next()
    for (let index = 0; index < last; index++) if (drawn < (bounds[index] as number)) return index
    return last
  }
}
