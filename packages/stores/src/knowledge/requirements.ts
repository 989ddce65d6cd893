import { z } from 'zod'
import type { Requirements } from './screen.ts'
import { factNames, type Question, vocabulary } from './vocabulary.ts'
import { either, must, names, parsedAs } from './wording.ts'

/** Requirements as a part of a document. */
export const requirementsSchema: z.ZodType<Requirements> = z.strictObject(
  Object.fromEntries(factNames.map((name) => [name, requirement(vocabulary[name]).optional()])),
  names(factNames, 'an object of facts, such as tls: true'),
) as z.ZodType<Requirements>

/**
 * Requirements of a document.
 *
 * @param place - where they are, for messages
 * @throws {StoreError} `INVALID_CONFIG`: the place, what was found, and what is right
 */
export function requirementsIn(data: unknown, place: string): Requirements {
  return parsedAs(requirementsSchema, data, place)
}

function requirement({ kind, values }: Question): z.ZodType {
  if (kind === 'flag') return z.boolean(must('true or false'))
  if (kind === 'scale') return z.enum(values as [string], must(either(values ?? [])))
  const word = values === undefined ? z.string() : z.enum(values as [string])
  const be =
    kind === 'choice' ? 'a name or a list of names' : `true, or one or a list of ${(values ?? []).join(', ')}`
  const several = [word, z.array(word).min(1)] as const
  return z.union(kind === 'choice' ? several : [z.literal(true), ...several], must(be))
}
