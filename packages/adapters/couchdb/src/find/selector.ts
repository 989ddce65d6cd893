import { type FieldPath, literalPattern, type Predicate, placeOf } from '@unikv/core/adapter'
import type { Selector } from '../client/couch-database.ts'

// The part of a query that CouchDB can run so that it finds all records that are meant, and perhaps others. It compares strings by ICU, under
// which different ones may be equal, and takes a string to be greater than every number. So the adapter looks at the documents again.

/**
 * The part of a condition that CouchDB can narrow by; `undefined`: none. `taken` are fields with a pattern that holds at the same time: PouchDB
 * makes one of two.
 */
export function selectorOf(predicate: Predicate, taken: Set<string> = new Set()): Selector | undefined {
  if ('parts' in predicate) {
    const parts = predicate.parts.map((part) =>
      selectorOf(part, predicate.kind === 'and' ? taken : new Set()),
    )
    const known = parts.filter((part) => part !== undefined)
    if (known.length === 0 || (predicate.kind === 'or' && known.length < parts.length)) return undefined
    return { [`$${predicate.kind}`]: known }
  }
  if (!canIndex(predicate.path)) return undefined
  const field = indexPath(predicate.path)
  if (predicate.kind === 'exists') return predicate.exists ? { [field]: { $exists: true } } : undefined
  const { by, value } = predicate
  const [rank] = placeOf(value)
  const $regex = by === 'contains' && !taken.has(field) ? literalPattern(String(value)) : undefined
  if ($regex !== undefined) {
    taken.add(field)
    return { [field]: { $regex } }
  }
  return { [field]: rank === 4 && by !== 'eq' ? { $type: 'string' } : { [`$${by}`]: value } }
}

/** Whether the names of a path mean the same to every server of this protocol. */
export function canIndex(path: FieldPath): boolean {
  return path.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
}

/** A path as indexes and selectors have it. */
export function indexPath(path: FieldPath): string {
  return `value.${path.join('.')}`
}
