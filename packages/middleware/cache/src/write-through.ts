import { types } from 'node:util'
import { type Entry, isWritten, type Mutation, type WriteResult } from '@unikv/core'
import { heard } from '@unikv/core/adapter'
import { isBytes, isPlainObject } from '@unikv/core/platform'
import type { Keep } from './loads/writes-under-way.ts'
import { isRegular } from './values/copy.ts'
import { inspect } from './values/inspect.ts'
import { copied, type Share } from './values/sharing.ts'

/** The effect of a write of its key on a cached entry. */
export type OnWrite = 'around' | 'through'

/**
 * The entry that a key holds after a write. It is known only for an acknowledged `set` with a version and an expiry.
 */
export function writtenEntry<V>(
  mutation: Mutation<V>,
  value: V,
  result: WriteResult | undefined,
): Entry<V> | undefined {
  if (mutation.type !== 'set' || mutation.expiresAt === 'keep') return undefined
  if (result === undefined || !isWritten(result) || result.version === undefined) return undefined
  return { value, version: result.version, expiresAt: mutation.expiresAt }
}

/** Keeps the entries of acknowledged writes, as they were when the writes began. */
export function keeperOf(
  mutations: readonly Mutation<unknown>[],
  { share, isOfBytes }: { readonly share: Share; readonly isOfBytes: boolean },
  keep: (key: string, entry: Entry<unknown>) => void,
): Keep {
  const own = mutations.map((one) => (one.type === 'set' ? ownCopy(one.value, share, isOfBytes) : undefined))
  return (i, result) => {
    const mutation = mutations[i] as Mutation<unknown>
    const entry = own[i] === undefined ? undefined : writtenEntry(mutation, own[i], result)
    if (entry !== undefined) keep(mutation.key, entry)
  }
}

/**
 * A value that may be kept although its owner may change the original; `undefined` if that is impossible. `isOfBytes`: values
 * are the bytes of the store, and no codec makes others of them.
 */
export function ownCopy(value: unknown, share: Share, isOfBytes = false): unknown {
  if (share === 'reference' || typeof value !== 'object' || value === null) return value
  if (typeof share === 'function') return attempt(() => share(value))
  const own = copied(value)
  if (own === value) return undefined
  return (isOfBytes && isBytes(own)) || isLikeStored(own) ? own : undefined
}

/**
 * Whether codecs give it back as it is: not what they leave out, such as properties that are `undefined`, nor bytes, which they
 * may give back as another class, nor one object in two places, which may come back as two.
 */
function isLikeStored(own: unknown): boolean {
  const { objects, shared } = inspect(own)
  if (shared) return false
  for (const object of objects) {
    if (!isRegular(object) || ArrayBuffer.isView(object) || types.isAnyArrayBuffer(object)) return false
    if (isPlainObject(object) && !isLikeRead(object)) return false
  }
  return true
}

function isLikeRead(object: object): boolean {
  if (Object.getPrototypeOf(object) === null || Object.getOwnPropertySymbols(object).length > 0) return false
  return !Object.values(object).includes(undefined)
}

function attempt(copy: () => unknown): unknown {
  try {
    return heard(copy())
  } catch {
    return undefined
  }
}
