import { type FieldPath, type Predicate, placeOf } from '@unikv/core/adapter'
import type { Selector } from '../client/couch-database.ts'

// The part of a query that CouchDB can run so that it finds all records that are meant, and perhaps others. It compares strings by ICU, under
// which different ones may be equal, and takes a string to be greater than every number. So the adapter looks at the documents again.

/** The part of a condition that CouchDB can narrow by; `undefined`: none. */
export function selectorOf(predicate: Predicate): Selector | undefined {
  if ('parts' in predicate) {
    const parts = predicate.parts.map(selectorOf)
    const known = parts.filter((part) => part !== undefined)
    if (known.length === 0 || (predicate.kind === 'or' && known.length < parts.length)) return undefined
    if (predicate.kind === 'or') return { $or: known }
    // PouchDB takes one `$and` in another, and none in that; it answers too little where two `$or` stand beside each other.
    const merged = known.flatMap((part) => (part['$and'] as Selector[]) ?? [part])
    const firstOr = merged.find((part) => '$or' in part)
    return { $and: merged.filter((part) => part === firstOr || !('$or' in part)) }
  }
  if (!canIndex(predicate.path)) return undefined
  const field = indexPath(predicate.path)
  if (predicate.kind === 'exists') return predicate.exists ? { [field]: { $exists: true } } : undefined
  const { by, value } = predicate
  const [rank] = placeOf(value)
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
