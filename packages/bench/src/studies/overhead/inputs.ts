import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseSize } from '../../data/size-list.ts'
import { lengthTexts } from '../../driven/given/workload-inputs.ts'
import type { TextForm } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'
import { checkLayers, layersOf } from './layers.ts'
import { peerNames } from './peers/peers.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)

/** The fields of the command line. */
export const overheadInputs: z.ZodType = z.strictObject({
  records: text('records in the store, such as 10K or 10K,20K,40K (default: 10K)'),
  layers: text(
    "a further side: unikv with these layers, the outermost first, such as 'cache,json,encryption'",
  ),
  beside: text('further sides: other libraries of your project, keyv, unstorage or both'),
  callers: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('callers that each wait for their answer (default: 1)'),
  valueSize: text('bytes of values, such as 1K (default: 1000)'),
  duration: text('length of one measurement, such as 500ms (default: 500ms)'),
  warmup: text('the same before the first, whose figures are not used (default: 2s)'),
  delay: text('how much later answers of the server arrive, such as 2ms (default: 0ms)'),
  budget: text('time for all stores, such as 10m: volumes that would not fit are not run, and named'),
  runs: z.int().min(1).max(1_000).optional().describe('measured runs of each operation (default: 9)'),
  ...studyShape,
})

/** How the fields are written. */
export const overheadTexts: Readonly<Record<string, TextForm>> = {
  ...lengthTexts,
  records: { argument: '<list>', parse: volumesOf },
  beside: { argument: '<list>', parse: peersOf },
  layers: { argument: '<list>', parse: layersOf },
  valueSize: { argument: '<size>', parse: parseSize },
  budget: lengthTexts['duration'] as TextForm,
  delay: lengthTexts['warmup'] as TextForm,
}

function peersOf(list: string): readonly string[] {
  const names = list.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !(peerNames as readonly string[]).includes(name))
  if (wrong === undefined) return [...new Set(names)]
  throw new StoreError('INVALID_ARGUMENT', `--beside: '${wrong}' is not one of ${peerNames.join(', ')}.`)
}

function volumesOf(list: string): readonly number[] {
  const values = list.split(',').map((part) => volumeOf(part.trim()))
  return [...new Set(values)].toSorted((a, b) => a - b)
}

function volumeOf(given: string): number {
  try {
    return parseSize(given)
  } catch {
    throw new StoreError(
      'INVALID_ARGUMENT',
      `'${given}' is not a number of records. Write them like 10000 or 10K,20K,40K.`,
    )
  }
}

interface Given {
  readonly layers?: readonly unknown[]
  readonly records?: readonly number[]
  readonly duration?: number
  readonly budget?: number
  readonly delay?: number
  readonly warmup?: number
}

/** The input of a configuration: the fields by the names there. */
export async function configure(
  fields: Readonly<Record<string, unknown>>,
): Promise<{ readonly config: unknown; readonly warnings: readonly string[] }> {
  const { records, duration, budget, delay, warmup, ...others } = fields as Given
  const named = { volumes: records, durationMs: duration, warmupMs: warmup, budgetMs: budget, delayMs: delay }
  if (others.layers !== undefined) await checkLayers(others.layers)
  const given = Object.entries(named).filter(([, value]) => value !== undefined)
  return { config: { ...others, ...Object.fromEntries(given) }, warnings: [] }
}
