import { checkMix, type Workload } from '../../operations/workload.ts'
import type { GivenWorkload } from './given.ts'
import { ownBase } from './own-base.ts'
import { type Base, ycsbBase } from './ycsb-base.ts'

/**
 * The workload of a preset, of property files or of a module, changed by the other fields: the input of `workloadSchema`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the property, operation or file that is wrong
 */
export async function workloadOf(given: GivenWorkload): Promise<Base> {
  const { workload: file, records, mix, keys, valueSize, scanLength, batch, check } = given
  const { workload, ...others } = file === undefined ? await ycsbBase(given) : await ownBase(file, given)
  checkMix((mix ?? workload.mix) as Workload['mix'], (workload['module'] ?? null) as Workload['module'])
  return {
    ...others,
    workload: {
      ...workload,
      ...defined('records', records),
      ...defined('mix', mix),
      ...defined('keys', keys),
      ...defined('values', valueSize),
      ...defined('scan', scanLength),
      ...defined('batch', batch),
      ...defined('check', check),
    },
  }
}

function defined(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value }
}
