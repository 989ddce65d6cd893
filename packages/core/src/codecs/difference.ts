import { isDeepStrictEqual, types } from 'node:util'
import { extendsNone, isPlainArray, isPlainObject } from '../platform/realms.ts'
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
    if (isPlainObject(a) && isPlainObject(b)) return compareParts(a, b, String)
    if (isPlainArray(a) && isPlainArray(b) && a.length === b.length) return compareParts(a, b, Number)
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
  if (!isBare(value)) return value
  if (types.isDate(value)) return new Date(value)
  if (types.isMap(value)) return new Map(value)
  return types.isSet(value) ? new Set(value) : value
}

/** Whether a built-in object is of no class of an application, and has no properties of its own. */
export function isBare(value: unknown): value is object {
  return typeof value === 'object' && value !== null && extendsNone(value) && Object.keys(value).length === 0
}
