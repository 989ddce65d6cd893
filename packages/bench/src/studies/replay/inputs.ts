import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseSize } from '../../data/size-list.ts'
import { choice } from '../../driven/given/workload-inputs.ts'
import { parseThreshold } from '../../driven/thresholds/threshold.ts'
import type { TextForm } from '../../study/study.ts'
import { studyShape } from '../../study/study-config.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)
const whole = (help: string): z.ZodOptional<z.ZodInt> => z.int().min(1).max(1e9).optional().describe(help)

/** The fields of the command line. */
export const replayInputs: z.ZodType = z.strictObject({
  trace: z
    .string()
    .describe(
      'CSV or JSON lines, also compressed by gzip, or - for standard input: time, operation, key, size',
    ),
  columns: text('columns of a file without a first line that names them, such as time,key,-,size'),
  limit: whole('replay only so many of its first requests'),
  speed: text('times as fast as the trace, or max (default: 1, and max for a trace without times)'),
  concurrency: whole('with the speed max: callers that each wait for their answer (default: 16)'),
  maxInFlight: whole('at a speed: most requests in flight; further ones wait (default: 1024)'),
  start: text('loaded with what the trace expects, or empty (default: loaded)'),
  onMiss: text('a read that finds nothing: count it, or fill as a cache does (default: count)'),
  valueSize: text('bytes of a value whose size the trace does not tell (default: 1000)'),
  runs: z.int().min(1).max(1_000).optional().describe('runs of each store (default: 1)'),
  failIf: text('fail (exit 3) if so, such as "read.p99 > 10ms" or "misses > 5%" (repeatable)'),
  ...studyShape,
})

/** How the fields are written. */
export const replayTexts: Readonly<Record<string, TextForm>> = {
  trace: { argument: '<file>', parse: (given) => given },
  columns: { argument: '<names>', parse: (given) => given.split(',').map((name) => name.trim()) },
  speed: { argument: '<times|max>', parse: parseSpeed },
  start: choice('loaded', 'empty'),
  onMiss: choice('count', 'fill'),
  valueSize: { argument: '<size>', parse: parseSize },
  failIf: { argument: '<threshold>', isRepeatable: true, parse: parseThreshold },
}

function parseSpeed(given: string): number | 'max' {
  if (given === 'max') return given
  const speed = /^\d+(\.\d+)?x?$/.test(given) ? Number.parseFloat(given) : Number.NaN
  if (speed > 0 && speed <= 1e6) return speed
  throw new StoreError(
    'INVALID_ARGUMENT',
    `The speed '${given}' is not one. Write a number such as 1, 0.5 or 100, or max.`,
  )
}
