import { type Preset, presets } from './presets.ts'

/** The fields of the command line as they were given. */
interface Given {
  readonly preset?: Preset
  readonly records?: number
  readonly mix?: object
  readonly keys?: object
  readonly valueSize?: object
  readonly scanLength?: object
  readonly batch?: number
  readonly duration?: number
  readonly warmup?: number
  readonly operations?: number
  readonly concurrency?: number
  readonly rate?: number
}

/** Records of a preset; the files of YCSB have 1000. */
const defaultRecords = 10_000

/** The input of a configuration: the workload of a preset or a file, changed by what was given beside it. */
export async function configure(fields: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { preset, records, mix, keys, valueSize, scanLength, batch, ...others } = fields as Given
  const { duration, warmup, ...rest } = others
  const name = mix === undefined ? (preset ?? 'b') : 'own'
  const base = presets[preset ?? 'b']
  return {
    ...rest,
    ...(duration === undefined ? {} : { durationMs: duration }),
    ...(warmup === undefined ? {} : { warmupMs: warmup }),
    workload: {
      ...base,
      name,
      records: records ?? defaultRecords,
      ...(mix === undefined ? {} : { mix }),
      ...(keys === undefined ? {} : { keys }),
      ...(valueSize === undefined ? {} : { values: valueSize }),
      ...(scanLength === undefined ? {} : { scan: scanLength }),
      ...(batch === undefined ? {} : { batch }),
    },
  }
}
