import { basename } from 'node:path'
import { StoreError } from '@unikv/core'
import { parseKeyLaw } from '../../keys/parse-key-law.ts'
import { openOwnModule } from '../../own/own-module.ts'
import { parseLengthLaw } from '../../values/parse-length-law.ts'
import type { WorkloadSources } from './sources.ts'
import { type Base, ycsbBase } from './ycsb-base.ts'

/**
 * The workload of a module; what it does not say is as in the preset b.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with what is wrong in the module, or for a preset beside it
 */
export async function ownBase(file: string, given: WorkloadSources): Promise<Base> {
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
  throw new StoreError('INVALID_ARGUMENT', message)
}

/** A law as it is, or in the words of the command line. */
function lawOf(name: string, law: unknown, parse: (text: string) => unknown): object {
  if (law === undefined) return {}
  const isText = typeof law === 'string' || typeof law === 'number'
  return { [name]: isText ? parse(String(law)) : law }
}
