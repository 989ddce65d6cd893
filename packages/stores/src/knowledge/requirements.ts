import type { Capabilities } from '@unikv/core'
import { z } from 'zod'
import { durabilities } from '../find-stores.ts'
import type { Requirements } from './screen.ts'
import { factNames, type Question, vocabulary } from './vocabulary.ts'
import { either, must, names, parsedAs } from './wording.ts'

const facts = Object.fromEntries(factNames.map((name) => [name, requirement(vocabulary[name]).optional()]))
const factsText = 'an object of facts, such as tls: true'

/** Requirements as a part of a document. */
export const requirementsSchema: z.ZodType<Requirements> = z.strictObject(
  facts,
  names(factNames, factsText),
) as z.ZodType<Requirements>

/** Requirements for stores that are opened, too. */
export interface StoreRequirements extends Requirements {
  /** Acknowledged writes survive at least this: by the settings of the server, or as it is declared. */
  readonly durability?: Capabilities['durability'] | undefined
}

/** Requirements for stores that are opened, as a part of a document. */
export const storeRequirementsSchema: z.ZodType<StoreRequirements> = z.strictObject(
  { ...facts, durability: z.enum(durabilities, must(either(durabilities))).optional() },
  names([...factNames, 'durability'], factsText),
) as z.ZodType<StoreRequirements>

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
