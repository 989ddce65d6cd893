import type { Bytes } from '@unikv/core'
import { patch } from '../diff/index.ts'
import type { Pauses } from '../pauses.ts'
import { type Chain, deltasOf, type Known } from './chain.ts'
import { corrupt } from './corrupt.ts'
import type { ChainHead } from './head.ts'
import { partKey, readBase, readDeltas } from './parts.ts'
import { firstLink, nextLink, sealOf, sha256 } from './seal.ts'

/** The parts that make a head a value. */
export interface Needs {
  /** Deltas from the first of which the base, or a value known already, needs no more: those after so many. */
  readonly after: number
  readonly known: Known | undefined
  /** Keys of the parts. */
  readonly keys: readonly string[]
}

/** The parts that a head needs, if this value is known. */
export function needsOf(canonical: string, head: ChainHead, known: Known | undefined): Needs {
  const start = isBefore(known, head) ? known : undefined
  const after = start?.chain === undefined ? 0 : deltasOf(start.chain)
  const keys = start === undefined ? [partKey(canonical, head.base.id)] : []
  let last = 0
  for (const record of head.records) {
    last += record.deltas
    if (last > after) keys.push(partKey(canonical, record.id))
  }
  return { after, known: start, keys }
}

function isBefore(known: Known | undefined, head: ChainHead): known is Known {
  return (
    known?.chain !== undefined &&
    known.chain.base.id === head.base.id &&
    deltasOf(known.chain) <= deltasOf(head)
  )
}

/** A value, and the chain that it is the end of. */
export interface Replayed {
  readonly value: Bytes
  readonly chain: Chain
}

/** How far, and how long at once. */
export interface ReplayLimits {
  /** Longest value. */
  readonly maxOutputBytes: number
  /** Told how many bytes each delta made. */
  readonly pauses: Pauses
}

/**
 * Make the value of a head from its parts, all of which are there.
 *
 * @param parts Records by key.
 * @throws {StoreError} `CORRUPT`; `VALUE_TOO_LARGE` for a value over `maxOutputBytes`
 */
export async function replay(
  canonical: string,
  head: ChainHead,
  needs: Needs,
  parts: ReadonlyMap<string, Bytes>,
  { maxOutputBytes, pauses }: ReplayLimits,
): Promise<Replayed> {
  const start = startOf(canonical, head, needs, parts)
  let { value, link } = start
  let made = start.replayBytes
  let sequence = needs.after
  for (const delta of deltasAfter(canonical, head, needs, parts)) {
    link = nextLink(link, ++sequence, delta)
    value = patch(value, delta, { maxOutputBytes })
    made += value.length
    if (made > head.replayBytes) throw corrupt('produces more bytes than it declares')
    if (pauses.isDue(value.length)) await pauses.next()
  }
  if (made !== head.replayBytes || value.length !== head.valueBytes)
    throw corrupt('produces other lengths than it declares')
  const seal = sealOf(link, head.told, sha256(value))
  if (Buffer.compare(seal, head.seal) !== 0) throw corrupt('does not match its seal')
  const { base, partsExpireAt, records, inline, replayBytes } = head
  return { value, chain: { base, partsExpireAt, records, inline, replayBytes, link } }
}

interface Start {
  readonly value: Bytes
  readonly link: Bytes
  readonly replayBytes: number
}

function startOf(
  canonical: string,
  { base }: ChainHead,
  { known }: Needs,
  parts: ReadonlyMap<string, Bytes>,
): Start {
  if (known?.chain !== undefined)
    return { value: known.value, link: known.chain.link, replayBytes: known.chain.replayBytes }
  const value = readBase(partOf(parts, partKey(canonical, base.id)))
  if (value.length !== base.bytes) throw corrupt('has a base of another length than its head declares')
  return { value, link: firstLink(canonical, base.id, sha256(value)), replayBytes: 0 }
}

function* deltasAfter(
  canonical: string,
  { base, records, inline }: ChainHead,
  { after }: Needs,
  parts: ReadonlyMap<string, Bytes>,
): Generator<Bytes> {
  let first = 1
  for (const { id, deltas, bytes } of records) {
    const last = first + deltas - 1
    if (last > after) {
      const record = partOf(parts, partKey(canonical, id))
      const inside = readDeltas(record, { baseId: base.id, first })
      if (inside.length !== deltas || record.length !== bytes)
        throw corrupt('has another number of deltas than its head declares')
      yield* inside.slice(Math.max(0, after - first + 1))
    }
    first = last + 1
  }
  yield* inline.slice(Math.max(0, after - first + 1))
}

function partOf(parts: ReadonlyMap<string, Bytes>, key: string): Bytes {
  const part = parts.get(key)
  if (part === undefined) throw corrupt('lacks a part')
  return part
}
