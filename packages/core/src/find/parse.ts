import { StoreError } from '../contract/errors.ts'
import type { FieldOrder, FieldPath, Predicate, Scalar } from '../contract/query.ts'
import { afterPrefix } from '../keys/canonical-key.ts'
import { kindOf, nearest } from '../options/check-options.ts'
import { isPlainObject } from '../platform/realms.ts'

// From what an application writes to the few parts that stores compile.

/** Most conditions of one query. Empty ones count, too: queries come from outside, and each is a part of a statement. */
const mostTerms = 1000

/** Most paths of one query: each takes up to seven of the columns that a server allows, and PostgreSQL allows 1,664. */
const mostPaths = 200

/** Most names of a path. */
const mostNames = 32

/** @throws {StoreError} `INVALID_ARGUMENT` for anything but a condition of at most so many levels */
export function predicateOf(where: unknown, levels: number = mostNames): Predicate {
  const terms = { left: mostTerms, levels, paths: new Set<string>() }
  return where === undefined ? joined('and', []) : all(where, terms, 0)
}

type Comparing = Extract<Predicate, { readonly kind: 'compare' }>['by']

interface Terms {
  left: number
  readonly levels: number
  readonly paths: Set<string>
}

function all(where: unknown, terms: Terms, depth: number): Predicate {
  if (!isPlainObject(where)) throw wrong(`\`where\` must be an object of conditions, got ${kindOf(where)}.`)
  if (depth > terms.levels) throw wrong(`\`where\` is nested more than ${terms.levels} deep.`)
  const parts = Object.entries(where).flatMap(([name, condition]): Predicate[] => {
    if (condition === undefined) return []
    if ((name === 'and' || name === 'or') && Array.isArray(condition)) {
      if (condition.length === 0) count(terms)
      return [
        joined(
          name,
          Array.from(condition, (part: unknown) => all(part, terms, depth + 1)),
        ),
      ]
    }
    return field(pathOf(name), condition, terms)
  })
  if (parts.length === 0) count(terms)
  return joined('and', parts)
}

/** Parts of the same kind are taken apart: servers limit how deep conditions are nested. */
function joined(kind: 'and' | 'or', parts: readonly Predicate[]): Predicate {
  const flat = parts.flatMap((part) => ('parts' in part && part.kind === kind ? part.parts : [part]))
  return flat.length === 1 ? (flat[0] as Predicate) : { kind, parts: flat }
}

function count(terms: Terms): void {
  if (terms.left-- <= 0) throw wrong(`\`where\` has more than ${mostTerms} conditions.`)
}

function field(path: FieldPath, condition: unknown, terms: Terms): Predicate[] {
  if (terms.paths.add(fieldName(path)).size > mostPaths)
    throw wrong(`\`where\` names more than ${mostPaths} fields.`)
  if (!isPlainObject(condition)) return [compare(path, 'eq', condition, terms)]
  return Object.entries(condition).flatMap(([by, value]): Predicate[] => {
    if (value === undefined) return []
    if (by === 'eq') return [compare(path, by, value, terms)]
    if (by === 'gt' || by === 'gte' || by === 'lt' || by === 'lte') return [bound(path, by, value, terms)]
    if (by === 'in') return [oneOf(path, value, terms)]
    if (by === 'prefix') return prefix(path, value, terms)
    if (by === 'contains') return [contains(path, value, terms)]
    if (by === 'exists') return [presence(path, value, terms)]
    throw unknown(by)
  })
}

function bound(path: FieldPath, by: 'gt' | 'gte' | 'lt' | 'lte', value: unknown, terms: Terms): Predicate {
  if (value === null) throw wrong(`\`${by}\` must be a string, a number or a boolean, got null.`)
  return compare(path, by, value, terms)
}

function oneOf(path: FieldPath, values: unknown, terms: Terms): Predicate {
  if (!Array.isArray(values)) throw wrong(`\`in\` must be a list of values, got ${kindOf(values)}.`)
  return joined(
    'or',
    Array.from(values, (value: unknown) => compare(path, 'eq', value, terms)),
  )
}

function presence(path: FieldPath, exists: unknown, terms: Terms): Predicate {
  if (typeof exists !== 'boolean') throw wrong(`\`exists\` must be true or false, got ${kindOf(exists)}.`)
  count(terms)
  return { kind: 'exists', path, exists }
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
  count(terms)
  return { kind: 'compare', path, by, value: scalar(value) }
}

function scalar(value: unknown): Scalar {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0
  if (typeof value === 'string' && value.isWellFormed()) return value
  const odd = typeof value === 'string' ? 'a string with a lone surrogate' : kindOf(value)
  const what = typeof value === 'number' ? value : odd
  throw wrong(`A condition compares with a string, a finite number, a boolean or null, got ${what}.`)
}

/** @throws {StoreError} `INVALID_ARGUMENT` for anything but an order */
export function orderOf(orderBy: unknown): readonly FieldOrder[] {
  if (orderBy === undefined) return []
  if (!Array.isArray(orderBy) || orderBy.length > 8)
    throw wrong(`\`orderBy\` must be a list of at most 8 paths, got ${kindOf(orderBy)}.`)
  return Array.from(orderBy, (one: unknown) => {
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
