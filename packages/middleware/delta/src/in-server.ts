import type { Bytes, SetMutation } from '@unikv/core'
import { valueDelta } from '@unikv/core/adapter'
import type { Known } from './chain/chain.ts'
import { writeWhole } from './chain/head.ts'
import { diff, isInPlace } from './diff/index.ts'
import type { Plan } from './plan.ts'

// Limits of a store that declares `deltas`: see `valueDelta` of core.
const maxDeltaBytes = 4096
const maxMovedBytes = 65_536

/**
 * A set that travels as a delta and leaves a whole value: for a store that applies it, to a value that it holds whole.
 * `undefined` where that is not so, or where a chain moves less.
 */
export function inServer(mutation: SetMutation<Bytes>, known: Known): Plan | undefined {
  if (known.chain !== undefined || known.isPlain === true) return undefined
  const { key, value, version } = mutation
  const record = writeWhole(key, value)
  const bytes = diff(writeWhole(key, known.value), record)
  if (bytes.length > Math.min(maxDeltaBytes, record.length / 2)) return undefined
  const inPlace = isInPlace(bytes)
  if (!inPlace && record.length > maxMovedBytes) return undefined
  const facts = valueDelta.with({ of: record, bytes, inPlace })
  const expiresAt = mutation.expiresAt === 'keep' ? known.expiresAt : mutation.expiresAt
  return {
    how: 'sent',
    head: { ...mutation, ifVersion: known.version, value: record, facts },
    part: undefined,
    next: { version, expiresAt, value, chain: undefined },
    obsolete: [],
  }
}
