import { basename } from 'node:path'
import { parseKeyLaw } from '../../keys/key-law.ts'
import { checkMix } from '../../operations/mix.ts'
import type { Workload, workloadSchema } from '../../operations/workload.ts'
import { invalidArgument } from '../../options/invalid.ts'
import type { Given } from '../../options/option.ts'
import { openOwnModule } from '../../own/own-module.ts'
import { parseLengthLaw } from '../../values/parse-length-law.ts'
import { type Base, type WorkloadSources, ycsbBase } from './ycsb-base.ts'

/** The options of a workload, as they were given. */
export type GivenWorkload = Given<typeof workloadSchema>

/**
 * The workload of a preset, of property files or of a module, changed by the options that were given: the input of
 * `workloadSchema`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the property, operation or file that is wrong
 */
export async function workloadOf(sources: WorkloadSources, given: GivenWorkload = {}): Promise<Base> {
  const { workload: file } = sources
  const base = file === undefined ? await ycsbBase(sources) : await ownBase(file, sources)
  const own = file === undefined && given.mix !== undefined ? { name: 'own' } : {}
  const workload = { ...base.workload, ...own, ...definedOf(given) } as Base['workload']
  checkMix(workload.mix as Workload['mix'], (workload['module'] ?? null) as Workload['module'])
  return { ...base, workload }
}

function definedOf(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/**
 * The workload of a module; what it does not say is as in the preset b.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with what is wrong in the module, or for a preset beside it
 */
async function ownBase(file: string, given: WorkloadSources): Promise<Base> {
  refuseOtherBases(given)
  const { workload: own, reference } = await openOwnModule(file)
  const { operations = {}, setup: _setup, teardown: _teardown, ...stateful } = own
  const { state: _state, sessions: _sessions, ...fields } = stateful
  const { name = basename(file), mix = {}, keys, values, scan, phases, ...others } = fields
  const { workload, ...rest } = await ycsbBase({})
  const weights = Object.entries(operations).map(([operation, { weight }]) => [operation, weight])
  return {
    ...rest,
    phases,
    workload: {
      ...workload,
      ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
      name,
      mix: { ...mix, ...Object.fromEntries(weights) },
      ...lawOf('keys', keys, parseKeyLaw),
      ...lawOf('values', values, parseLengthLaw),
      ...lawOf('scan', scan, parseLengthLaw),
      module: reference,
    },
  }
}

function refuseOtherBases({ preset, propertyFile, property }: WorkloadSources): void {
  if (preset === undefined && propertyFile === undefined && property === undefined) return
  const message = 'Choose --workload, or a preset and properties of YCSB, not both.'
  throw invalidArgument(message)
}

/** A law as it is, or in the words of the command line. */
function lawOf(name: string, law: unknown, parse: (text: string) => unknown): object {
  if (law === undefined) return {}
  const isText = typeof law === 'string' || typeof law === 'number'
  return { [name]: isText ? parse(String(law)) : law }
}
