import { StoreError } from '@unikv/core'
import { z } from 'zod'
import { parseKeyLaw } from '../../keys/parse-key-law.ts'
import { parseMix } from '../../operations/workload.ts'
import type { TextForm } from '../../study/study.ts'
import { parseLengthLaw } from '../../values/parse-length-law.ts'
import { parseDuration } from './duration.ts'
import type { GivenWorkload } from './given.ts'

const text = (help: string): z.ZodOptional<z.ZodString> => z.string().optional().describe(help)
const whole = (help: string): z.ZodOptional<z.ZodInt> => z.int().min(1).max(1e9).optional().describe(help)

/** The fields of the command line that make a workload. */
export const workloadInputs: Readonly<Record<Exclude<keyof GivenWorkload, 'workload'>, z.ZodType>> = {
  preset: text('workload of YCSB: a, b, c, d, e or f (default: b)'),
  propertyFile: text('YCSB property file with the workload (repeatable)'),
  property: text('one YCSB property, over those of the file (repeatable)'),
  mix: text('operations by weight, such as read=80,update=20'),
  records: whole('records to load before the run (default: 10000)'),
  keys: text('law of the keys: uniform, zipfian, latest, hotspot, exponential, sequential'),
  valueSize: text('bytes of values, such as 1K or 100..10K (default: 1000)'),
  scanLength: text('records of a scan, such as 1..100'),
  batch: whole('records of a batch (default: 10)'),
  check: z.boolean().optional().describe('compare what reads return with what was written'),
}

/** How these fields are written. */
export const workloadTexts: Readonly<Record<string, TextForm>> = {
  preset: choice('a', 'b', 'c', 'd', 'e', 'f'),
  propertyFile: { argument: '<file>', letter: 'P', isRepeatable: true, parse: (given) => given },
  property: { argument: '<name=value>', letter: 'p', isRepeatable: true, parse: (given) => given },
  mix: { argument: '<mix>', parse: parseMix },
  keys: { argument: '<law>', parse: parseKeyLaw },
  valueSize: { argument: '<sizes>', parse: parseLengthLaw },
  scanLength: { argument: '<range>', parse: parseLengthLaw },
}

/** The length of a run, and of its warm-up. */
export const lengthTexts: Readonly<Record<string, TextForm>> = {
  duration: { argument: '<time>', parse: parseLength },
  warmup: { argument: '<time>', parse: parseDuration },
}

/** One of these words. */
export function choice(...words: readonly string[]): TextForm {
  return {
    argument: `<${words.join('|')}>`,
    parse: (given) => {
      if (words.includes(given)) return given
      throw new StoreError('INVALID_ARGUMENT', `'${given}' is not one of ${words.join(', ')}.`)
    },
  }
}

function parseLength(given: string): number {
  const ms = parseDuration(given)
  if (ms > 0) return ms
  throw new StoreError('INVALID_ARGUMENT', `A run of '${given}' would measure nothing. Write a time above 0.`)
}
