import { z } from 'zod'
import { type KnownStore, known, type WrittenStore } from './known-store.ts'
import { knownStores } from './known-stores.ts'
import { factNames, type Question, vocabulary } from './vocabulary.ts'
import { either, must, names, parsedAs, wrongAt } from './wording.ts'

const text = z.string(must('a text')).min(1, must('a text that is not empty'))
const day = z.iso.date(must('a day, such as 2026-11-27'))
const fields = ['value', 'says', 'source', 'checked', 'version']

const store = z.strictObject(
  {
    title: text.optional(),
    checked: day.optional(),
    version: text.optional(),
    facts: z.strictObject(
      Object.fromEntries(factNames.map((name) => [name, fact(vocabulary[name]).optional()])),
      names(factNames, 'an object of facts, such as tls: { value: true, says: …, source: … }'),
    ),
  },
  names(['title', 'checked', 'version', 'facts'], 'an object with facts'),
)

const schema = z.strictObject(
  { stores: z.record(z.string(), store, must('an object of stores by name')) },
  names(['stores'], 'an object with stores'),
)

/**
 * The stores of the base with those of a file: its facts replace those of the same name, and its other stores follow.
 *
 * @param data - what stands in the file, from YAML or JSON
 * @param file - its name, for messages
 * @throws {StoreError} `INVALID_CONFIG`: the place of the first mistake, what was found, and what is right
 */
export function withFacts(data: unknown, file: string): readonly KnownStore[] {
  const { stores } = parsedAs(schema, data, file)
  const own = Object.entries(stores).map(([name, one]): KnownStore => {
    for (const [fact, dated] of Object.entries(one.facts as WrittenStore['facts']))
      checkDate({ ...one, ...dated }, file, `stores.${name}.facts.${fact}`)
    const { title = name, checked = '', version = '' } = one
    const before = knownStores.find((store) => store.name === name)
    const { facts } = known({ name, title, checked, version, facts: one.facts })
    return {
      ...before,
      name,
      title: one.title ?? before?.title ?? name,
      facts: { ...before?.facts, ...facts },
    }
  })
  const rest = knownStores.map((store) => own.find(({ name }) => name === store.name) ?? store)
  return [...rest, ...own.filter((store) => !rest.includes(store))]
}

/** A fact, or a store for all of its facts. */
interface Dated {
  readonly checked?: string | undefined
  readonly version?: string | undefined
}

function checkDate({ checked, version }: Dated, file: string, place: string): void {
  if (checked === undefined)
    throw wrongAt(file, place, 'it has no day. Write checked: 2026-11-27 here or at the store')
  if (version === undefined)
    throw wrongAt(file, place, 'it has no version. Write version: … here or at the store')
}

function fact(question: Question): z.ZodType {
  return z.strictObject(
    {
      value: value(question),
      says: text,
      source: text,
      checked: day.optional(),
      version: text.optional(),
    },
    names(fields, 'an object with value, says and source'),
  )
}

function value({ kind, values }: Question): z.ZodType {
  if (kind === 'flag') return z.boolean(must('true or false'))
  if (kind === 'scale') return z.enum(values as [string], must(either(values ?? [])))
  if (kind === 'choice') return z.array(z.string(), must('a list of licenses'))
  const be = `a list of ${(values ?? []).join(', ')}`
  return z.array(z.enum(values as [string], must(either(values ?? []))), must(be))
}
