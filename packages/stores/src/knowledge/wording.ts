import { StoreError } from '@unikv/core'
import { kindOf, nearest } from '@unikv/core/adapter'
import type { z } from 'zod'

/** A mistake, as zod asks for its message. */
interface Issue {
  readonly code?: string
  readonly input?: unknown
  readonly keys?: readonly string[]
}

type Wording = (issue: Issue) => string

/** The message of a value that must be something else, as in `it must be true or false, got 'yes'`. */
export function must(be: string): { readonly error: Wording } {
  return {
    error: ({ input }) =>
      input === undefined ? `it is missing: ${be}` : `it must be ${be}, got ${found(input)}`,
  }
}

/** The message of an object that has a name too much. */
export function names(known: readonly string[], be: string): { readonly error: Wording } {
  return {
    error: (issue) => {
      const [name] = issue.keys ?? []
      return name === undefined
        ? must(be).error(issue)
        : `there is no '${name}' here. ${instead(name, known)}`
    },
  }
}

/** Words in a sentence: `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/**
 * Data as a schema has it.
 *
 * @param file - the file or part of a document that it is from, for messages
 * @throws {StoreError} `INVALID_CONFIG`: the place of the first mistake, what was found, and what is right
 */
export function parsedAs<T>(schema: z.ZodType<T>, data: unknown, file: string): T {
  const result = schema.safeParse(data, { reportInput: true })
  if (result.success) return result.data
  const { issues } = result.error
  // A misspelled name is missing where it belongs, which says less.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]
  throw wrongAt(file, placeOf(issue?.path ?? []), issue?.message ?? 'it is wrong')
}

/** A mistake in a file, as one sentence. */
export function wrongAt(file: string, place: string, message: string): StoreError {
  const where = place === '' ? file : `${file}, ${place}`
  return new StoreError('INVALID_CONFIG', `${where}: ${message}${/[.?!]$/.test(message) ? '' : '.'}`)
}

function placeOf(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}

/** The name that is meant by one that is not known, or all names, as a sentence. */
export function instead(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return near === undefined ? `The names are ${known.join(', ')}.` : `Did you mean '${near}'?`
}

function found(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value)
}
