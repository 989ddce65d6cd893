import { StoreError } from '@unikv/core'
import { z } from 'zod'
import type { WorkloadSources } from '../../driven/given/ycsb-base.ts'
import { checkMix, parseMix } from '../../operations/mix.ts'
import type { Workload } from '../../operations/workload.ts'
import type { Plain } from '../../options/option.ts'
import type { AxisField } from './axis.ts'

/** The schema of a load. */
export const sweepLoad = z.strictObject({
  name: z.string(),
  mix: z.record(z.string(), z.number().min(0)),
})

/** Operations that are measured by themselves, such as reads. */
export type SweepLoad = Plain<typeof sweepLoad>

/** The options that say which operations are measured. */
interface GivenLoads {
  readonly given: {
    readonly loads?: readonly SweepLoad[] | undefined
    readonly workload?: { readonly mix?: object | undefined } | undefined
  }
  readonly sources: WorkloadSources
}

/** Reads and writes by themselves. */
const readAndWrite: readonly SweepLoad[] = [
  { name: 'read', mix: { read: 1 } },
  { name: 'write', mix: { update: 1 } },
]

/** The loads of a sweep over these, unless a mix is given. */
const loadsOver: Readonly<Partial<Record<AxisField, readonly SweepLoad[]>>> = {
  batch: [
    { name: 'batch read', mix: { 'batch-read': 1 } },
    { name: 'batch write', mix: { 'batch-write': 1 } },
  ],
  'scan-length': [{ name: 'scan', mix: { scan: 1 } }],
  'read-share': [{ name: 'read and update', mix: { read: 1, update: 1 } }],
}

/**
 * The loads of a sweep: those that are given, the mix of the workload, or else reads and writes apart.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` for loads that cannot be
 */
export function loadsOf(
  field: AxisField,
  { given: { loads, workload: own }, sources }: GivenLoads,
  workload: Workload,
): readonly SweepLoad[] {
  const mix = own?.mix
  if (loads !== undefined) return checked(field, mix, loads, workload)
  const hasBase = Object.values(sources).some((one) => one !== undefined)
  if ((mix === undefined && !hasBase) || field === 'read-share') return loadsOver[field] ?? readAndWrite
  return [{ name: mix === undefined ? workload.name : 'mix', mix: workload.mix }]
}

/**
 * A load from text such as `browse:read=95,update=5`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with what is wrong
 */
export function parseLoad(text: string): SweepLoad {
  const [, name = '', mix = ''] = /^\s*([^:=]+?)\s*:(.*)$/s.exec(text) ?? []
  if (name === '') throw wrong(`'${text}' has no name. Write it like browse:read=95,update=5.`)
  return { name, mix: parseMix(mix) }
}

function checked(
  field: AxisField,
  mix: object | undefined,
  loads: readonly SweepLoad[],
  { module }: Workload,
): readonly SweepLoad[] {
  if (mix !== undefined) throw wrong('choose --load or --mix, not both.')
  if (field === 'read-share') throw wrong('it says nothing beside --over read-share.')
  const names = loads.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw wrong(`two loads have the name '${twice}'. Give each its own.`)
  for (const load of loads) checkMix(load.mix, module)
  return loads
}

function wrong(why: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `--load: ${why}`)
}
