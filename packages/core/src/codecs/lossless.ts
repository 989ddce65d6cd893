import { StoreError } from '../contract/errors.ts'
import { kindOf } from '../options/check-options.ts'
import { classOf, isPlainArray, isPlainObject } from '../platform/realms.ts'
import { at, wherever } from './place.ts'

/**
 * Refuse what JSON would change, with what it is and where; never with the value itself.
 *
 * @throws {StoreError} `INVALID_VALUE`
 */
export function checkJson(root: unknown): void {
  const path: (string | number)[] = []
  const above = new Set<object>()
  const refuse = (what: string): never => {
    const hint = keptByStructured.test(what) ? keeping : 'Store plain data, or use a schema that restores it.'
    const place = at(path, root)
    const message = `JSON would change ${what}${place}. ${hint}${wherever(place)}`
    throw new StoreError('INVALID_VALUE', message, { path })
  }
  const visit = (value: unknown): void => {
    const changed = changedByJson(value)
    if (changed !== undefined) refuse(changed)
    if (typeof value !== 'object' || value === null) return
    if (above.has(value)) refuse('a cycle')
    above.add(value)
    if (Array.isArray(value)) visitArray(value)
    else visitObject(value)
    above.delete(value)
  }
  const visitArray = (array: readonly unknown[]): void => {
    for (let i = 0; i < array.length; i++) {
      path.push(i)
      if (array[i] === undefined) refuse(i in array ? 'undefined inside an array' : 'a hole in an array')
      visit(array[i])
      path.pop()
    }
  }
  const visitObject = (object: object): void => {
    for (const [name, value] of Object.entries(object)) {
      if (value === undefined) continue
      path.push(name)
      visit(value)
      path.pop()
    }
  }
  visit(root)
}

const keeping = 'Use structured(), or a schema that restores it.'

/** Kinds that `structured` keeps; it refuses the others, too. */
const keptByStructured = /^(-0|NaN|-?Infinity|undefined|a hole|a cycle|a bigint|a (Date|Map|Set|Uint8Array)$)/

/** The kind of value that JSON would change, such as `a Date` or `NaN`; `undefined` if none. Does not look inside it. */
export function changedByJson(value: unknown): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined
  if (typeof value === 'number') {
    if (Object.is(value, -0)) return '-0'
    return Number.isFinite(value) ? undefined : String(value)
  }
  if (typeof value !== 'object') return value === undefined ? 'undefined' : `a ${typeof value}`
  if (!isPlainObject(value) && !isPlainArray(value)) return partKind(value)
  // Also one that is not enumerable: JSON calls it all the same.
  return typeof (value as { toJSON?: unknown }).toJSON === 'function' ? 'a toJSON method' : undefined
}

function partKind(object: object): string {
  const known = classOf(object)
  if (known === 'Object') return 'a class instance'
  return known === 'Array' ? 'a subclass of Array' : kindOf(object)
}
