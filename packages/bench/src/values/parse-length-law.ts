import type { StoreError } from '@unikv/core'
import { nearest } from '@unikv/core/adapter'
import { parseSize } from '../data/size-list.ts'
import { invalidArgument } from '../options/invalid.ts'
import { readNumberHistogram } from '../random/weighted.ts'
import { type LengthLaw, lengthLawSchema } from './length-law.ts'

const examples = {
  constant: 'constant:1K',
  uniform: 'uniform:100..1K',
  zipfian: 'zipfian:100..1K,0.99',
  lognormal: 'lognormal:1K,0.5',
  histogram: 'histogram:FILE',
} as const

type Kind = keyof typeof examples

/**
 * A law of lengths from its text: `1K` (always so many bytes), `100..1K` or `uniform:100..1K`, `zipfian:100..1K` (the
 * shortest is the most common) with an exponent behind a comma, `lognormal:1K,0.5` (median and σ) with the most behind
 * another comma, and `histogram:FILE` with a file in the form of YCSB. Sizes are those of `parseSize`.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with the nearest known law, or the part that is wrong
 */
export function parseLengthLaw(text: string): LengthLaw {
  const colon = text.indexOf(':')
  const kind = colon === -1 ? kindOf(text) : checkedKind(text.slice(0, colon).trim())
  const fields = fieldsOf(kind, colon === -1 ? text.trim() : text.slice(colon + 1).trim(), text)
  const parsed = lengthLawSchema.safeParse({ kind, ...fields })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw invalid(`'${text}' is not possible: ${issue?.path.join('.')}: ${issue?.message}.`)
}

/** A size or a range without a name. */
function kindOf(text: string): Kind {
  if (/^\s*[\d.]/.test(text)) return text.includes('..') ? 'uniform' : 'constant'
  const name = text.trim()
  if (!Object.hasOwn(examples, name)) throw unknownLaw(name)
  throw invalid(`'${name}' needs more: write it as in ${examples[name as Kind]}.`)
}

function checkedKind(name: string): Kind {
  if (!Object.hasOwn(examples, name)) throw unknownLaw(name)
  return name as Kind
}

function fieldsOf(kind: Kind, rest: string, text: string): object {
  if (kind === 'histogram') return readNumberHistogram(rest)
  const [first = '', ...others] = rest.split(',').map((part) => part.trim())
  const most = { constant: 0, uniform: 0, zipfian: 1, lognormal: 2 }[kind]
  if (others.length > most) throw unreadable(text, kind)
  if (kind === 'constant') return { length: parseSize(first) }
  if (kind === 'lognormal') return lognormal(first, others, text)
  const [least, greatest, more] = first.split('..')
  if (least === undefined || greatest === undefined || more !== undefined) throw unreadable(text, kind)
  const range = { least: parseSize(least.trim()), most: parseSize(greatest.trim()) }
  if (others[0] === undefined) return range
  const theta = numberOf(others[0], text, kind)
  return { ...range, theta, ...(theta >= 1 && { law: 'exact' }) }
}

function lognormal(median: string, [sigma = '', most]: readonly string[], text: string): object {
  return {
    median: parseSize(median),
    sigma: numberOf(sigma, text, 'lognormal'),
    ...(most !== undefined && { most: parseSize(most) }),
  }
}

function numberOf(part: string, text: string, kind: Kind): number {
  const number = part === '' ? Number.NaN : Number(part)
  if (!Number.isFinite(number)) throw unreadable(text, kind)
  return number
}

function unreadable(text: string, kind: Kind): StoreError {
  return invalid(`'${text}' cannot be read: write it as in ${examples[kind]}.`)
}

function unknownLaw(name: string): StoreError {
  const meant = nearest(name, Object.keys(examples))
  const hint =
    meant === undefined
      ? `Write a size such as 1K, or a law: ${Object.values(examples).join(', ')}.`
      : `Did you mean '${meant}'?`
  return invalid(`'${name}' is neither a size nor a known law. ${hint}`)
}

function invalid(message: string): StoreError {
  return invalidArgument(`Lengths of values: ${message}`)
}
