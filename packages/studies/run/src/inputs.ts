import { StoreError } from '@unikv/core'
import { studyShape, type TextForm } from '@unikv/workload'
import { parseThreshold } from '@unikv/workload/driven'
import { parseKeyLaw } from '@unikv/workload/keys'
import { parseMix } from '@unikv/workload/operations'
import { parseLengthLaw } from '@unikv/workload/values'
import { z } from 'zod'
import { parseDuration } from './duration.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)
const whole = (help: string, least = 1): z.ZodOptional<z.ZodInt> =>
  z.int().min(least).max(1e9).optional().describe(help)

/** The fields of the command line: a workload, and what differs from it. */
export const runInputs: z.ZodType = z.strictObject({
  preset: text('workload of YCSB: a, b, c, d, e or f (default: b)'),
  propertyFile: text('YCSB property file with the workload (repeatable)'),
  property: text('one YCSB property, over those of the file (repeatable)'),
  mix: text('operations by weight, such as read=80,update=20'),
  records: whole('records to load before the run (default: 10000)'),
  keys: text('law of the keys: uniform, zipfian, latest, hotspot, exponential, sequential'),
  valueSize: text('bytes of values, such as 1K or 100..10K (default: 1000)'),
  scanLength: text('records of a scan, such as 1..100'),
  batch: whole('records of a batch (default: 10)'),
  concurrency: whole('callers that each wait for their answer (default: 16)'),
  threads: whole('threads that share callers or rate, each with a store of its own (default: 1)'),
  rate: z
    .number()
    .positive()
    .max(1e7)
    .optional()
    .describe('operations a second that begin whether or not earlier ones have ended'),
  arrivals: text('with a rate: constant or poisson (default: constant)'),
  maxInFlight: whole('with a rate: most operations in flight (default: 1024)'),
  whenFull: text('with a rate: drop or queue what is beyond that (default: drop)'),
  duration: text('length of a run, such as 30s or 5m (default: 10s)'),
  operations: whole('most operations of a run'),
  warmup: text('length of the warm-up, such as 2s (default: 2s)'),
  runs: z.int().min(1).max(1_000).optional().describe('measured runs of each store (default: 3)'),
  failIf: text('fail (exit 3) if so, such as "read.p99 > 10ms" or "errors > 0.1%" (repeatable)'),
  ...studyShape,
})

/** One of these words. */
function choice(...words: readonly string[]): TextForm {
  return {
    argument: `<${words.join('|')}>`,
    parse: (given) => {
      if (words.includes(given)) return given
      throw new StoreError('INVALID_ARGUMENT', `'${given}' is not one of ${words.join(', ')}.`)
    },
  }
}

/** How the fields are written. */
export const runTexts: Readonly<Record<string, TextForm>> = {
  preset: choice('a', 'b', 'c', 'd', 'e', 'f'),
  propertyFile: { argument: '<file>', letter: 'P', isRepeatable: true, parse: (given) => given },
  property: { argument: '<name=value>', letter: 'p', isRepeatable: true, parse: (given) => given },
  mix: { argument: '<mix>', parse: parseMix },
  keys: { argument: '<law>', parse: parseKeyLaw },
  valueSize: { argument: '<sizes>', parse: parseLengthLaw },
  scanLength: { argument: '<range>', parse: parseLengthLaw },
  arrivals: choice('constant', 'poisson'),
  whenFull: choice('drop', 'queue'),
  failIf: { argument: '<threshold>', isRepeatable: true, parse: parseThreshold },
  duration: { argument: '<time>', parse: parseLength },
  warmup: { argument: '<time>', parse: parseDuration },
}

/** The length of a run. */
function parseLength(text: string): number {
  const ms = parseDuration(text)
  if (ms > 0) return ms
  throw new StoreError('INVALID_ARGUMENT', `A run of '${text}' would measure nothing. Write a time above 0.`)
}
