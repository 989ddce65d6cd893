import { types } from 'node:util'

// The kind of a value from any realm: a `vm` context, a test environment, a worker, a polyfill. `instanceof`
// and a comparison with a prototype tell only whose it is.

/** Whether a value is a `Uint8Array`; a `Buffer` is one. */
export const isBytes: (value: unknown) => value is Uint8Array = types.isUint8Array

/** Whether a value is an object literal, or what JSON makes: its prototype is `null`, or has itself none. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || isRoot(prototype)
}

/** Whether a value is an array, and not of a subclass. (`Array.prototype` is an array itself, in every realm.) */
export function isPlainArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && Array.isArray(Object.getPrototypeOf(value))
}

/** Whether a value is an error: a native one, or an object with a name and a message (`DOMException`). */
export function isError(value: unknown): value is Error {
  if (types.isNativeError(value)) return true
  if (typeof value !== 'object' || value === null) return false
  const { name, message } = value as Partial<Error>
  return typeof name === 'string' && typeof message === 'string'
}

/** The name of the built-in class of an object; `Object` for one of no such class. */
export function classOf(object: object): string {
  return Object.prototype.toString.call(object).slice(8, -1)
}

/** Whether an object is of a class that extends no other: a `Date`, and not one of a class that extends it. */
export function extendsNone(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && isRoot(Object.getPrototypeOf(prototype))
}

/** Whether this is the `Object.prototype` of some realm: an object without a prototype may be one by accident. */
function isRoot(prototype: unknown): boolean {
  if (prototype === null) return false
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'isPrototypeOf')
}
