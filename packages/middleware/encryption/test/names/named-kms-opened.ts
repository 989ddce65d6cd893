import type { Bytes } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type KmsKeysOptions, kmsKeys } from '../../src/index.ts'
import { watchedKeys } from '../kms-doubles.ts'
import { utf8 } from '../records.ts'
import { usersOf } from './named.ts'

/** A store, a watched service, and users with hashed names and its keys, here and elsewhere. */
export function opened(options: Partial<KmsKeysOptions> = {}) {
  const store = memory()
  const made = watchedKeys(options)
  /** As another process has it: with nothing in memory. */
  const elsewhere = () => usersOf(store, { ring: kmsKeys({ providers: made.kms, ...options }) })
  return { ...made, store, users: usersOf(store, { ring: made.keys }), elsewhere }
}

/** Keys and values to store. */
export const many = (count: number): [string, Bytes][] =>
  Array.from({ length: count }, (_, i) => [`user ${i}`, utf8(`${i}`)])
