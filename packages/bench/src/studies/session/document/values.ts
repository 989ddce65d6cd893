import { either, must, names } from '@unikv/stores/documents'
import { z } from 'zod'
import { parseDuration } from '../../../options/forms.ts'

// XML has texts alone: numbers, booleans and times may be written as such.

/** A whole number within bounds. */
export function wholeWithin(least: number, most: number): z.ZodType<number> {
  const be = must(`a whole number from ${least} to ${most}`)
  return z.preprocess(numberOf, z.int(be).min(least, be).max(most, be))
}

/** A count, such as that of callers. */
export const whole: z.ZodType<number> = wholeWithin(1, 100_000)

/** Any number. */
export const amount: z.ZodType<number> = z.preprocess(numberOf, z.number(must('a number')))

/** Whether something is so. */
export const isSo: z.ZodType<boolean> = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean(must('true or false')),
)

const beTime = must('a time such as 500ms, 30s or 5m')
const timeText = z.string(beTime).regex(/^\s*\d+(\.\d+)?\s*(ms|s|m|h|d)?\s*$/, { ...beTime, abort: true })
const longest = 86_400_000

/** A length of time in milliseconds; a number alone is in seconds. */
export const time: z.ZodType<number> = z.preprocess(textOf, timeText).transform(parseDuration)

/** A length of time of at least so many milliseconds, and of a day at most. */
export function timeFrom(least: number, shown: string): z.ZodType<number> {
  const isWithin = (given: string): boolean => {
    const ms = parseDuration(given)
    return ms >= least && ms <= longest
  }
  const within = timeText.refine(isWithin, must(`a time from ${shown} to 24h`))
  return z.preprocess(textOf, within).transform(parseDuration)
}

function textOf(given: unknown): unknown {
  return typeof given === 'number' ? String(given) : given
}

/** A text that is not empty; YAML and JSON may have a number there. */
export const text: z.ZodType<string> = z.union(
  [z.string().min(1), z.number().transform(String)],
  must('a text'),
)

/** A share or a weight: a number, or per cent such as `50%`. */
export const share: z.ZodType<number> = z.preprocess(
  shareOf,
  z.number(must('a number, or per cent such as 50%')),
)

/** A number of a text such as `0.5`; `50%` is 50, as in mixes of operations: weights need no sum. */
export function shareOf(given: unknown): unknown {
  const [, percent] = typeof given === 'string' ? (/^\s*(\d+(?:\.\d+)?)\s*%\s*$/.exec(given) ?? []) : []
  return percent === undefined ? numberOf(given) : Number(percent)
}

/** A text of digits as the number that it stands for. */
export function numberOf(given: unknown): unknown {
  if (typeof given !== 'string' || given.trim() === '') return given
  const number = Number(given)
  return Number.isNaN(number) ? given : number
}

/** An object with these fields and no others. */
export function fields<T extends z.ZodRawShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const known = Object.keys(shape)
  return z.strictObject(shape, names(known, `an object with ${known.join(', ')}`))
}

/** One of some words. */
export function oneOf<const T extends readonly string[]>(words: T): z.ZodType<T[number]> {
  return z.enum(words, must(either(words)))
}

/** An element without content is `null`, and stands for none. */
export function optional<T extends z.ZodType>(schema: T): z.ZodPreprocess<z.ZodOptional<T>> {
  return z.preprocess((given) => given ?? undefined, schema.optional())
}
