import { StoreError } from '../../contract/errors.ts'
import type { GroupRange } from '../../contract/groups.ts'
import { keyBytes } from '../../keys/canonical-key.ts'
import { byteBounds, type KeyBounds } from '../../keys/key-bounds.ts'

/**
 * Refuse a name of a group, or a key in one, that the store cannot hold.
 *
 * @param maxBytes most bytes of both together
 * @throws {StoreError} `INVALID_KEY`, `KEY_TOO_LONG`
 */
export function checkGroupKey(group: string, key: string | undefined, maxBytes: number): void {
  for (const text of [group, key])
    if (text !== undefined && (text === '' || !text.isWellFormed()))
      throw new StoreError('INVALID_KEY', 'Groups and their keys must be non-empty, well-formed strings.')
  const bytes = keyBytes(group) + (key === undefined ? 0 : keyBytes(key))
  if (bytes <= maxBytes) return
  const message = `A group and a key in it have ${bytes} bytes together; this store takes ${maxBytes}.`
  throw new StoreError('KEY_TOO_LONG', message)
}

/** The keys of a range of a group as UTF-8: from `start` on, and before `end`. */
export function groupBounds({ prefix, after }: Pick<GroupRange, 'prefix' | 'after'>): KeyBounds<Buffer> {
  const range = { prefix, pageSize: 1, values: false }
  return byteBounds(range, after === undefined ? undefined : Buffer.from(after))
}

/** The error of a transaction that has lost a conflict and can only be rolled back. */
export function lostConflict(cause?: unknown): StoreError {
  const message = 'Another transaction changed what this one has read, or the two waited for each other.'
  return new StoreError('CONDITION_FAILED', message, cause === undefined ? {} : { cause })
}
