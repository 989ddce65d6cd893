import { internalKey, isUserKey, ownerKey } from '@unikv/core/adapter'

/**
 * The kind of a record, for its envelope. An envelope of one kind is rejected where another is
 * expected.
 *
 * - `value`: what an application stored under a key
 * - `cache-entry`: a whole record (header and body) that a cache keeps elsewhere
 * - `delta-base`, `delta`: a full object, and what has changed since, kept beside the record that they make up
 * - `chunk`: a part of a value that is kept in several records
 * - `warm-restart`: what a cache saves for the next start
 * - `transaction`: the state of a transaction over several records
 * - `data-key`: a data key that a keyring wraps (`localKms`)
 */
export type RecordKind =
  | 'value'
  | 'cache-entry'
  | 'delta-base'
  | 'delta'
  | 'chunk'
  | 'warm-restart'
  | 'transaction'
  | 'data-key'

/** All kinds; part of the stored format. */
export const kinds: readonly string[] = [
  'value',
  'cache-entry',
  'delta-base',
  'delta',
  'chunk',
  'warm-restart',
  'transaction',
  'data-key',
] satisfies readonly RecordKind[]

/** U+0000 and the character of the kind: how internal keys of that kind start. */
const deltaStart = internalKey('delta', '').slice(0, 2)
const chunkStart = internalKey('chunk', '').slice(0, 2)

/** Says what a record under a canonical key is. */
export type KindOf = (key: string) => RecordKind

/**
 * The kinds of a stack: users' records are of `kind`, deltas and chunks of kinds of their own. The other internal
 * records (tags, leases, markers) are of `kind`, and so is what a warm restart saves: they were sealed so before
 * there were other kinds, and their canonical keys, which are bound, are like no others.
 */
export function kindsUnder(kind: RecordKind): KindOf {
  return (key) => {
    if (isUserKey(key)) return kind
    if (key.startsWith(deltaStart)) return 'delta'
    return key.startsWith(chunkStart) && !isWarm(key) ? 'chunk' : kind
  }
}

/** Whether an internal key is that of a chunk of a warm restart: `warm`, a slot and a number beside a namespace. */
function isWarm(key: string): boolean {
  const owner = ownerKey(key)
  return owner !== undefined && /^warm [01] \d+\u0000\d+$/.test(key.slice(2 + owner.length))
}
