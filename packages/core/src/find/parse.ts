import { StoreError } from '../contract/errors.ts'
import type { FieldOrder, FieldPath, Predicate, Scalar } from '../contract/query.ts'
import { afterPrefix } from '../keys/canonical-key.ts'
import { kindOf, nearest } from '../options/check-options.ts'
import { isPlainObject } from '../platform/realms.ts'

// From what an application writes to the few parts that stores compile.

/** Most conditions of one query. Empty ones count, too: queries come from outside, and each is a part of a statement. */
const mostTerms = 1000

/** Most names of a path. */
const mostNames = 32

/** @throws {StoreError} `INVALID_ARGUMENT` for anything but a condition of at most so many levels */
export function predicateOf(where: unknown, levels: number = mostNames): Predicate {
  return all(where, { left: mostTerms, levels }, 0)
}

type Comparing = Extract<Predicate, { readonly kind: 'compare' }>['by']

interface Terms {
  left: number
  readonly levels: number
}

function all(where: unknown, terms: Terms, depth: number): Predicate {
  if (where === undefined) return group('and', [], terms)
  if (!isPlainObject(where)) throw wrong(`\`where\` must be an object of conditions, got ${kindOf(where)}.`)
  if (depth > terms.levels) throw wrong(`\`where\` is nested more than ${terms.levels} deep.`)
  const parts = Object.entries(where).flatMap(([name, condition]): Predicate[] => {
    if (condition === undefined) return []
    if ((name === 'and' || name === 'or') && Array.isArray(condition))
      return [
        group(
          name,
          condition.map((part) => all(part, terms, depth + 1)),
          terms,
        ),
      ]
    return field(pathOf(name), condition, terms)
  })
  return parts.length === 1 ? (parts[0] as Predicate) : group('and', parts, terms)
}

function group(kind: 'and' | 'or', parts: readonly Predicate[], terms: Terms): Predicate {
  const made = { kind, parts }
  return parts.length === 0 ? counted(made, terms) : made
}

/** A condition without parts. */
function counted(made: Predicate, terms: Terms): Predicate {
  if (terms.left-- <= 0) throw wrong(`\`where\` has more than ${mostTerms} conditions.`)
  return made
}

function field(path: FieldPath, condition: unknown, terms: Terms): Predicate[] {
  if (!isPlainObject(condition)) return [compare(path, 'eq', condition, terms)]
  return Object.entries(condition).flatMap(([by, value]): Predicate[] => {
    if (value === undefined) return []
    if (by === 'eq') return [compare(path, by, value, terms)]
    if (by === 'gt' || by === 'gte' || by === 'lt' || by === 'lte') return [bound(path, by, value, terms)]
    if (by === 'in') return [oneOf(path, value, terms)]
    if (by === 'prefix') return prefix(path, value, terms)
    if (by === 'contains') return [contains(path, value, terms)]
    if (by === 'exists' && typeof value === 'boolean')
      return [counted({ kind: by, path, exists: value }, terms)]
    if (by === 'exists') throw wrong(`\`exists\` must be true or false, got ${kindOf(value)}.`)
    throw unknown(by)
  })
}

function bound(path: FieldPath, by: 'gt' | 'gte' | 'lt' | 'lte', value: unknown, terms: Terms): Predicate {
  if (value === null) throw wrong(`\`${by}\` must be a string, a number or a boolean, got null.`)
  return compare(path, by, value, terms)
}

function oneOf(path: FieldPath, values: unknown, terms: Terms): Predicate {
  if (!Array.isArray(values)) throw wrong(`\`in\` must be a list of values, got ${kindOf(values)}.`)
  return group(
    'or',
    values.map((value) => compare(path, 'eq', value, terms)),
    terms,
  )
}

function prefix(path: FieldPath, given: unknown, terms: Terms): Predicate[] {
  const text = textOf('prefix', given)
  const end = afterPrefix(text)
  const from = compare(path, 'gte', text, terms)
  return end === undefined ? [from] : [from, compare(path, 'lt', end, terms)]
}

function contains(path: FieldPath, given: unknown, terms: Terms): Predicate {
  const text = textOf('contains', given)
  // Every string holds the empty one: no store need know that.
  return compare(path, text === '' ? 'gte' : 'contains', text, terms)
}

function textOf(by: string, given: unknown): string {
  if (typeof given !== 'string') throw wrong(`\`${by}\` must be a string, got ${kindOf(given)}.`)
  return given
}

function compare(path: FieldPath, by: Comparing, value: unknown, terms: Terms): Predicate {
  return counted({ kind: 'compare', path, by, value: scalar(value) }, terms)
}

function scalar(value: unknown): Scalar {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (typeof value === 'string' && value.isWellFormed()) return value
  const what = typeof value === 'string' ? 'a string with a lone surrogate' : kindOf(value)
  throw wrong(`A condition compares with a string, a finite number, a boolean or null, got ${what}.`)
}

/** @throws {StoreError} `INVALID_ARGUMENT` for anything but an order */
export function orderOf(orderBy: unknown): readonly FieldOrder[] {
  if (orderBy === undefined) return []
  if (!Array.isArray(orderBy) || orderBy.length > 8)
    throw wrong(`\`orderBy\` must be a list of at most 8 paths, got ${kindOf(orderBy)}.`)
  return orderBy.map((one: unknown) => {
    if (typeof one === 'string') return { path: pathOf(one), descending: false }
    const { desc, ...others } = Object(one) as { readonly desc?: unknown }
    if (typeof desc === 'string' && Object.keys(others).length === 0)
      return { path: pathOf(desc), descending: true }
    throw wrong(`\`orderBy\` takes paths and { desc: path }, got ${kindOf(one)}.`)
  })
}

/** The names of a path: `a.b` are two, `a\.b` is one. */
export function pathOf(text: unknown): FieldPath {
  if (typeof text !== 'string') throw wrong(`A path must be a string, got ${kindOf(text)}.`)
  const names: string[] = []
  let name = ''
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '.') name = (names.push(name), '')
    else name += text[i] === '\\' ? (text[++i] ?? '') : text[i]
  }
  names.push(name)
  const isRight = names.length <= mostNames && names.every((name) => name !== '' && name.isWellFormed())
  if (isRight && !text.includes('\u0000')) return names
  throw wrong(
    `A path is 1 to ${mostNames} names with dots between them, none of them empty. Write \`\\.\` for a dot in a name.`,
  )
}

/** A path as one text that no other path has. */
export function fieldName(path: FieldPath): string {
  return JSON.stringify(path)
}

/** A path as queries name it. */
export function pathText(path: FieldPath): string {
  return path.map((name) => name.replace(/[.\\]/g, '\\$&')).join('.')
}

function unknown(by: string): StoreError {
  const known = ['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'prefix', 'contains', 'exists']
  const meant = nearest(by, known)
  const hint = meant === undefined ? `It takes ${known.join(', ')}.` : `Did you mean \`${meant}\`?`
  return wrong(`Unknown comparison \`${by.slice(0, 40)}\` in \`where\`. ${hint}`)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_ARGUMENT', message)
}
