import { must } from '@unikv/stores/documents'
import { parseDuration } from '@unikv/workload/driven'
import { z } from 'zod'

// XML has texts alone: numbers, booleans and times may be written as such.

const mostCount = 100_000
const beWhole = must(`a whole number from 1 to ${mostCount}`)

/** A count, such as that of callers or runs. */
export const whole: z.ZodType<number> = z.preprocess(
  numberOf,
  z.int(beWhole).min(1, beWhole).max(mostCount, beWhole),
)

/** Any number. */
export const amount: z.ZodType<number> = z.preprocess(numberOf, z.number(must('a number')))

/** Whether something is so. */
export const isSo: z.ZodType<boolean> = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(must('true or false')),
)

const beTime = must('a time such as 500ms, 30s or 5m')
const timeText = z.string(beTime).regex(/^\s*\d+(\.\d+)?\s*(ms|s|m|h)?\s*$/, beTime)

/** A length of time in milliseconds; a number alone is in seconds. */
export const time: z.ZodType<number> = z
  .preprocess((given) => (typeof given === 'number' ? String(given) : given), timeText)
  .transform(parseDuration)

/** A text that is not empty; YAML and JSON may have a number there. */
export const text: z.ZodType<string> = z.union(
  [z.string().min(1), z.number().transform(String)],
  must('a text'),
)

/** A text of digits as the number that it stands for. */
export function numberOf(given: unknown): unknown {
  if (typeof given !== 'string' || given.trim() === '') return given
  const number = Number(given)
  return Number.isNaN(number) ? given : number
}
