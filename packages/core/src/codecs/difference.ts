import { isDeepStrictEqual, types } from 'node:util'
import { isPlainObject } from '../realms.ts'
import type { Path } from './place.ts'

/** Where two values differ first, and how. */
export interface Difference {
  readonly path: Path
  readonly kind: 'added' | 'dropped' | 'changed'
}

type Kind = Difference['kind'] | undefined

/** The first difference of two values, in type or content; a property that is `undefined` counts as absent. */
export function differenceOf(before: unknown, after: unknown): Difference | undefined {
  const path: (string | number)[] = []
  const above = new Map<unknown, unknown>()
  const compare = (a: unknown, b: unknown): Kind => {
    if (Object.is(a, b)) return undefined
    if (a === b) return 'changed' // 0 and -0
    if (a === undefined) return 'added'
    if (b === undefined) return 'dropped'
    if (Array.isArray(a) && Array.isArray(b))
      return a.length === b.length ? compareParts(a, b, (name) => Number(name)) : 'changed'
    if (isPlainObject(a) && isPlainObject(b)) return compareParts(a, b, (name) => name)
    return isDeepStrictEqual(ofThisRealm(a), ofThisRealm(b)) ? undefined : 'changed'
  }
  const compareParts = (a: object, b: object, stepOf: (name: string) => string | number): Kind => {
    if (above.get(a) === b) return undefined // a cycle
    above.set(a, b)
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      path.push(stepOf(name))
      const found = compare(own(a, name), own(b, name))
      if (found !== undefined) return found
      path.pop()
    }
    above.delete(a)
    return undefined
  }
  const kind = compare(before, after)
  return kind && { path, kind }
}

/** Not by its name alone: every object has a `__proto__`. */
function own(object: object, name: string): unknown {
  return Object.hasOwn(object, name) ? (object as Readonly<Record<string, unknown>>)[name] : undefined
}

/** The same value with a prototype of this realm, by which `isDeepStrictEqual` goes. */
function ofThisRealm(value: unknown): unknown {
  if (types.isDate(value)) return new Date(value)
  if (types.isMap(value)) return new Map(value)
  if (types.isSet(value)) return new Set(value)
  return value
}
