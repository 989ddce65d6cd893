import { type Bytes, newVersion } from '@unikv/core'
import { type Chain, deltaBytesOf, deltasOf, inlineBytesOf, type RecordRef } from './chain.ts'
import { writeBase, writeDeltas } from './parts.ts'
import { firstLink, nextLink, sha256 } from './seal.ts'

/** A part that has to be there before the head that names it. */
export interface NewPart {
  readonly id: string
  readonly record: Bytes
}

/** A chain, and the part of it that is new, if one is. */
export interface Extended {
  readonly chain: Chain
  readonly part: NewPart | undefined
  /** SHA-256 of the value. */
  readonly valueHash: Bytes
}

/** How long chains get. */
export interface ChainLimits {
  readonly maxDeltas: number
  /** Bytes of all deltas, as a share of the base. */
  readonly maxChainShare: number
  /** Bytes of all values that the deltas make. */
  readonly maxReplayBytes: number
  /** Bytes of deltas in the head. */
  readonly inlineBytes: number
}

/** A chain of a base alone. */
export function startChain(canonical: string, value: Bytes, partsExpireAt: number | undefined): Extended {
  const id = newVersion()
  const valueHash = sha256(value)
  const chain: Chain = {
    base: { id, bytes: value.length },
    partsExpireAt,
    records: [],
    inline: [],
    replayBytes: 0,
    link: firstLink(canonical, id, valueHash),
  }
  return { chain, part: { id, record: writeBase(value) }, valueHash }
}

/** Whether a delta of this length, to a value of this length, may be added. */
export function hasRoom(chain: Chain, deltaBytes: number, valueBytes: number, limits: ChainLimits): boolean {
  return (
    deltasOf(chain) < limits.maxDeltas &&
    deltaBytesOf(chain) + deltaBytes <= chain.base.bytes * limits.maxChainShare &&
    chain.replayBytes + valueBytes <= limits.maxReplayBytes
  )
}

/** The chain with one delta more. If too many bytes stand in the head, they all move to a record. */
export function append(chain: Chain, delta: Bytes, value: Bytes, { inlineBytes }: ChainLimits): Extended {
  const count = deltasOf(chain)
  const inline = [...chain.inline, delta]
  const longer: Chain = {
    ...chain,
    inline,
    replayBytes: chain.replayBytes + value.length,
    link: nextLink(chain.link, count + 1, delta),
  }
  const valueHash = sha256(value)
  if (inlineBytesOf(inline) <= inlineBytes) return { chain: longer, part: undefined, valueHash }
  const first = count - chain.inline.length + 1
  const part = { id: newVersion(), record: writeDeltas(chain.base.id, first, inline) }
  const moved: RecordRef = { id: part.id, deltas: inline.length, bytes: part.record.length }
  return { chain: { ...longer, inline: [], records: [...chain.records, moved] }, part, valueHash }
}
