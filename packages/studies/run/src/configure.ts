import type { Configured } from '@unikv/workload'
import type { Given } from './given.ts'
import { refuseIdleFields } from './idle-fields.ts'
import { ycsbBase } from './ycsb-base.ts'

/** The input of a configuration: the workload of a preset or of property files, changed by the other fields. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<Configured> {
  const given = fields as Given
  const { preset: _preset, propertyFile: _files, property: _properties, ...rest } = given
  const { records, mix, keys, valueSize, scanLength, batch, duration, warmup, ...others } = rest
  const { workload, loop, warnings } = await ycsbBase(given)
  refuseIdleFields(given, {
    ...loop,
    ...others,
    mix: (mix ?? workload.mix) as Readonly<Record<string, unknown>>,
  })
  return {
    config: {
      ...loop,
      ...others,
      ...defined('durationMs', duration),
      ...defined('warmupMs', warmup),
      workload: {
        ...workload,
        ...defined('records', records),
        ...defined('mix', mix),
        ...defined('keys', keys),
        ...defined('values', valueSize),
        ...defined('scan', scanLength),
        ...defined('batch', batch),
      },
    },
    warnings,
  }
}

function defined(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value }
}
