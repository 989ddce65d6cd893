import type { GivenWorkload } from './given.ts'
import { type Base, ycsbBase } from './ycsb-base.ts'

/**
 * The workload of a preset or of property files, changed by the other fields: the input of `workloadSchema`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the property or file that is wrong
 */
export async function workloadOf(given: GivenWorkload): Promise<Base> {
  const { records, mix, keys, valueSize, scanLength, batch, check } = given
  const { workload, ...others } = await ycsbBase(given)
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
