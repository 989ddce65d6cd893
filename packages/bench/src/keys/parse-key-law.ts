import { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { readNumberHistogram } from '../random/number-histogram.ts'
import { type KeyLaw, keyLawSchema } from './key-law.ts'

/** A law as the command line takes it. */
interface Form {
  readonly example: string
  readonly fields: object
  /** The fields of the numbers behind the colon, in order. */
  readonly numbers: readonly string[]
}

const theta = ['theta']

const forms: Readonly<Record<string, Form>> = {
  uniform: { example: 'uniform', fields: { kind: 'uniform' }, numbers: [] },
  sequential: { example: 'sequential', fields: { kind: 'sequential' }, numbers: [] },
  zipfian: { example: 'zipfian:0.99', fields: { kind: 'zipfian' }, numbers: theta },
  'zipfian-plain': {
    example: 'zipfian-plain:0.99',
    fields: { kind: 'zipfian', scrambled: false },
    numbers: theta,
  },
  'zipfian-exact': {
    example: 'zipfian-exact:0.99',
    fields: { kind: 'zipfian', law: 'exact' },
    numbers: theta,
  },
  'zipfian-exact-plain': {
    example: 'zipfian-exact-plain:0.99',
    fields: { kind: 'zipfian', law: 'exact', scrambled: false },
    numbers: theta,
  },
  latest: { example: 'latest:0.99', fields: { kind: 'latest' }, numbers: theta },
  'latest-exact': { example: 'latest-exact:0.99', fields: { kind: 'latest', law: 'exact' }, numbers: theta },
  hotspot: {
    example: 'hotspot:0.2,0.8',
    fields: { kind: 'hotspot' },
    numbers: ['dataFraction', 'operationFraction'],
  },
  exponential: {
    example: 'exponential:95,0.857',
    fields: { kind: 'exponential' },
    numbers: ['percentile', 'fraction'],
  },
  histogram: { example: 'histogram:FILE', fields: { kind: 'histogram' }, numbers: [] },
}

/** The names of all laws, for help texts. */
export const keyLawNames: readonly string[] = Object.keys(forms)

/**
 * A law from its text: a name, and numbers behind a colon, each of which may be left out. `zipfian`, `zipfian:0.8`,
 * `zipfian-exact:1.2` (the exact law), `zipfian-plain` (the first keys are the most popular), `latest`, `uniform`,
 * `sequential`, `hotspot:0.2,0.8` (shares of keys and operations), `exponential:95,0.857`, and `histogram:FILE` with a
 * file in the form of YCSB. From an exponent of 1 on, only the exact law is possible, so `zipfian:1.2` is
 * `zipfian-exact:1.2`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the nearest known law, or the part that is wrong
 */
export function parseKeyLaw(text: string): KeyLaw {
  const colon = text.indexOf(':')
  const name = (colon === -1 ? text : text.slice(0, colon)).trim()
  const rest = colon === -1 ? '' : text.slice(colon + 1).trim()
  const form = Object.hasOwn(forms, name) ? forms[name] : undefined
  if (form === undefined) throw unknownLaw(name)
  const given = name === 'histogram' ? readNumberHistogram(rest) : numbersOf(rest, form, text)
  const parsed = keyLawSchema.safeParse({ ...form.fields, ...given })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalid(`'${text}' is not possible: ${issue?.path.join('.')}: ${issue?.message}`)
}

function numbersOf(rest: string, { numbers, example }: Form, text: string): object {
  if (rest === '') return {}
  const given = rest.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (given.length > numbers.length || given.some((number) => !Number.isFinite(number)))
    throw invalid(`'${text}' cannot be read: write it as in ${example}`)
  const fields = Object.fromEntries(given.map((number, index) => [numbers[index], number]))
  return (fields['theta'] ?? 0) >= 1 ? { ...fields, law: 'exact' } : fields
}

function unknownLaw(name: string): StoreError {
  const meant = nearest(name, keyLawNames)
  const hint = meant === undefined ? `Choose one of ${keyLawNames.join(', ')}.` : `Did you mean '${meant}'?`
  return new StoreError('INVALID_ARGUMENT', `Keys: '${name}' is not a known law. ${hint}`)
}

function invalid(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', `Keys: ${message}.`)
}
