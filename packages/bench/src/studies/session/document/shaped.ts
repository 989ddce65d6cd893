import { isStoreError, type StoreError } from '@unikv/core'
import { isPlainObject } from '@unikv/core/platform'
import { wrongAt } from '@unikv/stores/documents'
import type { z } from 'zod'
import { shownText } from './shown.ts'

/** The answer of a function, with its errors as mistakes at a place. */
export function within<T>(place: Place, path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (isStoreError(error)) throw wrongIn(place, path, error.message)
    throw error
  }
}

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

/** The file of a document, and the line where it is known, for a path in a job such as `workload.measure`. */
export type Place = string | ((path: string) => string)

/** A mistake in a job, as one sentence, which may quote a value but not its secrets. */
export function wrongIn(place: Place, path: string, message: string): StoreError {
  return wrongAt(typeof place === 'string' ? place : place(path), path, shownText(message))
}
