import { isPlainObject } from '@unikv/core/platform'
import type { z } from 'zod'
import { type Place, wrongIn } from './place.ts'

/** An object of known fields. */
export function objectIn(
  given: unknown,
  name: string,
  place: Place,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(given)) throw wrongIn(place, name, 'it is missing, or not an object')
  const unknown = Object.keys(given as object).find((key) => !known.includes(key))
  if (unknown === undefined) return given
  throw wrongIn(place, `${name}.${unknown}`, `it is unknown; known are ${known.join(', ')}`)
}

/** A part of a document by its schema. */
export function shaped<T>(schema: z.ZodType<T>, given: unknown, name: string, place: Place): T {
  const left = leftOutIn(given)
  if (left !== undefined) throw wrongIn(place, [name, ...left].join('.'), 'this name cannot be used')
  const parsed = schema.safeParse(given, { reportInput: true })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  // A misspelled name is missing where it belongs, which says less.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const at = [name, ...(issue?.path ?? [])].join('.')
  throw wrongIn(place, at, given === undefined ? 'it is missing' : (issue?.message ?? 'it is wrong'))
}

/** The path of a field named `__proto__`, which schemas leave out without a word. */
function leftOutIn(given: unknown): readonly string[] | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  if (Object.hasOwn(given, '__proto__')) return ['__proto__']
  for (const [name, value] of Object.entries(given)) {
    const below = leftOutIn(value)
    if (below !== undefined) return [name, ...below]
  }
  return undefined
}
