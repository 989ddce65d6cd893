import { StoreError } from '../errors.ts'
import { isPlainObject } from '../realms.ts'

/**
 * Refuse what JSON would change, with what it is and where; never with the value itself.
 *
 * @throws {StoreError} `INVALID_VALUE`
 */
export function checkJson(value: unknown): void {
  walk(value, [], new Set())
}

function walk(value: unknown, path: (string | number)[], above: Set<object>): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || Object.is(value, -0))
      refuse(String(Object.is(value, -0) ? '-0' : value), path)
    return
  }
  if (typeof value !== 'object') refuse(`a ${typeof value}`, path)
  const object: object = value
  if (above.has(object)) refuse('a cycle', path)
  above.add(object)
  if (Array.isArray(object)) walkArray(object, path, above)
  else walkObject(object, path, above)
  above.delete(object)
}

function walkArray(array: readonly unknown[], path: (string | number)[], above: Set<object>): void {
  for (let i = 0; i < array.length; i++) {
    path.push(i)
    if (array[i] === undefined) refuse(i in array ? 'undefined inside an array' : 'a hole in an array', path)
    walk(array[i], path, above)
    path.pop()
  }
}

function walkObject(object: object, path: (string | number)[], above: Set<object>): void {
  if (!isPlainObject(object)) refuse(`a ${kindOf(object)}`, path)
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    path.push(name)
    walk(value, path, above)
    path.pop()
  }
}

function kindOf(object: object): string {
  const known = Object.prototype.toString.call(object).slice(8, -1)
  return known === 'Object' ? 'class instance' : known
}

function refuse(what: string, path: readonly (string | number)[]): never {
  const hint = 'Use structured(), or a schema that brings it back.'
  throw new StoreError('INVALID_VALUE', `JSON would change ${what}${at(path)}. ${hint}`)
}

/** ` at a.b[0]`; names that may be data instead of structure are masked. */
export function at(path: readonly PropertyKey[]): string {
  if (path.length === 0) return ''
  return ` at ${path.map(step).join('').replace(/^\./, '')}`
}

function step(name: PropertyKey): string {
  if (typeof name === 'number') return `[${name}]`
  return typeof name === 'string' && /^[A-Za-z_$][\w$]{0,39}$/.test(name) ? `.${name}` : '.…'
}
