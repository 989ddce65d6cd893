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
  const parsed = schema.safeParse(given, { reportInput: true })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  // A misspelled name is missing where it belongs, which says less.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  const at = [name, ...(issue?.path ?? [])].join('.')
  throw wrongIn(place, at, given === undefined ? 'it is missing' : (issue?.message ?? 'it is wrong'))
}
