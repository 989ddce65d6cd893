import type { Bytes } from '@unikv/core'
import { type ChainHead, readHead } from '../../src/chain/head.ts'
import { partKey, readBase, readDeltas } from '../../src/chain/parts.ts'
import { patch } from '../../src/index.ts'
import type { Reader, Records } from './random-chain.ts'

/** Applies what is there, and compares no seal. */
export const withoutSeal: Reader = async (records, key) =>
  made(records, key, (head, base) =>
    deltasOf(records, key, head, true).reduce((value, delta) => patch(value, delta), base),
  )

/** Applies the deltas that are there. */
export const ignoringMissingParts: Reader = async (records, key) =>
  made(records, key, (head, base) =>
    deltasOf(records, key, head, false).reduce((value, delta) => patch(value, delta), base),
  )

/** Applies what fits, in whatever order and number it comes. */
export const withoutSequence: Reader = async (records, key) =>
  made(records, key, (head, base) =>
    deltasOf(records, key, head, false).reduce((value, delta) => {
      try {
        return patch(value, delta)
      } catch {
        return value
      }
    }, base),
  )

function made(
  records: Records,
  key: string,
  apply: (head: ChainHead, base: Bytes) => Bytes,
): Bytes | undefined {
  const entry = records.get(key)
  if (entry === undefined) return undefined
  const head = readHead(key, entry.value)
  if (head.kind === 'whole') return head.value
  return apply(head, readBase(partOf(records, key, head.base.id) ?? missing()))
}

function deltasOf(records: Records, key: string, head: ChainHead, needsAll: boolean): readonly Bytes[] {
  let first = 1
  const deltas = head.records.flatMap(({ id, deltas: count }) => {
    const record = partOf(records, key, id)
    if (record === undefined && needsAll) missing()
    const inside = record === undefined ? [] : readDeltas(record, { baseId: head.base.id, first })
    first += count
    return inside
  })
  return [...deltas, ...head.inline]
}

function partOf(records: Records, key: string, id: string): Bytes | undefined {
  return records.get(partKey(key, id))?.value
}

function missing(): never {
  throw new Error('a part is missing')
}
