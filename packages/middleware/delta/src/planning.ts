import type { Bytes, SetMutation } from '@unikv/core'
import { keyBytes } from '@unikv/core/adapter'
import type { Known } from './chain/chain.ts'
import { append, type Extended, hasRoom, startChain } from './chain/extend.ts'
import { timeBytes } from './chain/formats.ts'
import { writeChain, writeWhole } from './chain/head.ts'
import { partKeyExtraBytes, partsOf } from './chain/parts.ts'
import { diff } from './diff/index.ts'
import { inServer } from './in-server.ts'
import type { DeltaSettings } from './options.ts'
import type { Plan } from './plan.ts'

/** Input of a plan besides the value. */
export interface Planned {
  readonly settings: DeltaSettings
  readonly maxKeyBytes: number
  /** Granularity of expiry in milliseconds. */
  readonly precisionMs: number
  /** Longest record that the store takes, in bytes. */
  readonly maxRecordBytes: number
  /** Whether the store applies deltas. */
  readonly deltas: boolean
}

/** After so many values in a row that have nothing in common one in so many is compared: it costs time. */
const mostUnlike = 8

/** Whether a delta may be made of what is known at all. */
function isBasis(
  known: Known | undefined,
  { key, ifVersion, value }: SetMutation<Bytes>,
  { settings, maxKeyBytes }: Planned,
): known is Known {
  return (
    known !== undefined &&
    value.length >= settings.minBytes &&
    value.length <= settings.maxReplayBytes &&
    (ifVersion === undefined || ifVersion === known.version) &&
    keyBytes(key) + partKeyExtraBytes <= maxKeyBytes
  )
}

/** The cheapest way to write a value that no other writer can change, given what is known of its key. */
export function planOf(mutation: SetMutation<Bytes>, known: Known | undefined, planned: Planned): Plan {
  if (!isBasis(known, mutation, planned)) return whole(mutation, known, planned)
  const { unlike = 0 } = known
  if (unlike >= mostUnlike && unlike % mostUnlike !== 0) return whole(mutation, known, planned, unlike + 1)
  const sent = planned.deltas ? inServer(mutation, known) : undefined
  if (sent !== undefined) return sent
  const { settings } = planned
  const delta = diff(known.value, mutation.value)
  // A base is for deltas that find room beside it.
  const most = Math.min(settings.maxDeltaShare, settings.maxChainShare)
  if (delta.length > mutation.value.length * most) return whole(mutation, known, planned, unlike + 1)
  const plan = appended(mutation, known, planned, delta) ?? rebased(mutation, known, planned)
  return fits(plan, planned) ? plan : whole(mutation, known, planned)
}

/** One delta more behind the others; `undefined` where there is no room for it. */
function appended(
  mutation: SetMutation<Bytes>,
  known: Known,
  planned: Planned,
  delta: Bytes,
): Plan | undefined {
  const { chain } = known
  const { value } = mutation
  const { settings } = planned
  if (
    chain === undefined ||
    !hasRoom(chain, delta.length, value.length, settings) ||
    !outlives(chain.partsExpireAt, endOf(mutation, known))
  )
    return undefined
  const plan = inChain('deltas', mutation, known, append(chain, delta, value, settings))
  return fits(plan, planned) ? plan : undefined
}

/** The value as a base. */
function rebased(mutation: SetMutation<Bytes>, known: Known, planned: Planned): Plan {
  const { key, value } = mutation
  const end = partsExpireAt(endOf(mutation, known), planned)
  return inChain('bases', mutation, known, startChain(key, value, end))
}

/** Whether the store takes the records of a plan. */
function fits({ head, part }: Plan, { maxRecordBytes }: Planned): boolean {
  return Math.max(head.value.length, part?.record.length ?? 0) <= maxRecordBytes
}

/** When the value ends. */
function endOf({ expiresAt }: SetMutation<Bytes>, known: Known): number | undefined {
  return expiresAt === 'keep' ? known.expiresAt : expiresAt
}

/** The value in the head. It takes the place of anything. */
export function whole(
  mutation: SetMutation<Bytes>,
  known: Known | undefined,
  { settings }: Planned,
  unlike = 0,
): Plan {
  const { key, value, version, expiresAt } = mutation
  const isKnown = expiresAt !== 'keep' && value.length >= settings.minBytes
  return {
    how: 'wholes',
    head: { ...mutation, value: writeWhole(key, value) },
    part: undefined,
    next: isKnown ? { version, expiresAt, value, chain: undefined, unlike } : undefined,
    obsolete: partsOf(key, known?.chain),
  }
}

/** A head that names parts takes the place of the head that it was made from alone. */
function inChain(
  how: 'deltas' | 'bases',
  mutation: SetMutation<Bytes>,
  known: Known,
  { chain, part, valueHash }: Extended,
): Plan {
  const { key, version, value } = mutation
  const expiresAt = endOf(mutation, known)
  return {
    how,
    head: { ...mutation, ifVersion: known.version, value: writeChain(chain, value.length, valueHash) },
    part,
    next: { version, expiresAt, value, chain },
    obsolete: how === 'bases' ? partsOf(key, known.chain) : [],
  }
}

function outlives(partsExpireAt: number | undefined, expiresAt: number | undefined): boolean {
  return partsExpireAt === undefined || (expiresAt !== undefined && expiresAt <= partsExpireAt)
}

/** Twice the life of the head, so that one whose end moves on with each update needs no new base each time. */
function partsExpireAt(
  expiresAt: number | undefined,
  { settings, precisionMs }: Planned,
): number | undefined {
  if (expiresAt === undefined) return undefined
  const end = Math.ceil(expiresAt + Math.max(0, expiresAt - settings.clock()) + 2 * precisionMs + 1000)
  return end < 2 ** (8 * timeBytes) ? end : undefined
}
