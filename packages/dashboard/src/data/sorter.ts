import {
  afterPrefix,
  canonicalKey,
  innerNamespace,
  isUserKey,
  namespacePrefix,
  userKey,
} from '@unikv/core/adapter'
import type { LevelPlace } from './level-place.ts'

/** A row of a level: a namespace, a group of keys with a common beginning, or a key. */
export type LevelItem =
  | { readonly kind: 'namespace'; readonly name: string }
  /** `prefix`: the keys begin so; it ends with the separator. */
  | { readonly kind: 'group'; readonly prefix: string }
  | { readonly kind: 'key'; readonly key: string }

/** A row, and the first canonical key behind all that it stands for; `undefined`: there is none. */
export interface Sorted {
  readonly item: LevelItem
  readonly end: string | undefined
}

/** Finds the row of a level that a canonical key belongs to; `undefined`: the record of a layer, or of another namespace. */
export function sorterOf(
  { namespace, prefix }: LevelPlace,
  separator: string,
): (canonical: string) => Sorted | undefined {
  const own = namespacePrefix(namespace)
  return (canonical) => {
    if (!isUserKey(canonical)) return undefined
    const inner = prefix === '' ? innerNamespace(namespace, canonical) : undefined
    if (inner !== undefined) return { item: { kind: 'namespace', name: inner.name }, end: inner.end }
    const key = userKey(own, canonical)
    if (key === undefined || !key.startsWith(prefix)) return undefined
    const at = separator === '' ? -1 : key.indexOf(separator, prefix.length)
    if (at < 0) return { item: { kind: 'key', key }, end: `${canonical}\u0000` }
    const group = key.slice(0, at + separator.length)
    return { item: { kind: 'group', prefix: group }, end: afterPrefix(canonicalKey(own, group)) }
  }
}

const separators = [':', '/', '.'] as const

/** The separator that comes first in most of these keys, if it is in at least a quarter of them; `''`: none. */
export function separatorOf(place: LevelPlace, canonicals: readonly string[]): string | undefined {
  const own = namespacePrefix(place.namespace)
  const keys = canonicals.flatMap((canonical) => {
    const key = isUserKey(canonical) ? userKey(own, canonical) : undefined
    return key?.startsWith(place.prefix) === true ? [key.slice(place.prefix.length)] : []
  })
  if (keys.length === 0) return undefined
  const firsts = keys.map((key) => /[:/.]/.exec(key)?.[0])
  const counts = separators.map((separator) => firsts.filter((one) => one === separator).length)
  const most = Math.max(...counts)
  return most * 4 < keys.length ? '' : separators[counts.indexOf(most)]
}
