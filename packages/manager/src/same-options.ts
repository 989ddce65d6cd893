import { isDeepStrictEqual } from 'node:util'
import { isBytes, isPlainObject } from '@unikv/core/platform'
import { isMade } from './configuration/variables.ts'

/**
 * Whether two options of configurations are the same. Plain data is compared by content. Anything that the program made, such as
 * a keyring, a layer or a store, equals only itself: its content is hidden.
 */
export function areSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, i) => areSame(one, b[i]))
  if (isBytes(a) && isBytes(b)) return isDeepStrictEqual(a, b)
  if (!isPlainObject(a) || !isPlainObject(b) || isMade(a) || isMade(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && areSame(a[name], b[name]))
  )
}
