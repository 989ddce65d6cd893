import {
  type Bytes,
  type CallOptions,
  type Entry,
  isLive,
  type Read,
  type ReadResult,
  toStoreError,
} from '@unikv/core'
import { decodeRecord, isRecord, notARecord } from '@unikv/core/adapter'
import type { Client } from './memcached-client.ts'
import type { Reply } from './reply-parser.ts'
import { type DatasetMark, wireKey } from './wire-key.ts'

/** What reads and writes work with. */
export interface Dataset {
  readonly client: Client
  readonly mark: DatasetMark
  /** Wall clock in milliseconds. */
  readonly clock: () => number
}

/** What stands under a key. */
export interface Found {
  /** The record, if it lives. */
  readonly live: Entry<Bytes> | undefined
  /** The token of whatever stands there, living or not; `undefined`: nothing does. */
  readonly cas: string | undefined
  /** What stands there is no record of this dataset. */
  readonly isForeign: boolean
}

/** One key's record, or the error of this key. */
export async function readOne(
  { client, mark, clock }: Dataset,
  { key, head, ifNotVersion }: Read,
  call: CallOptions,
): Promise<ReadResult<Bytes>> {
  try {
    const wire = wireKey(mark.prefix, key)
    const reply = await client.ask(wire, `mg ${wire} b v f`, call, false)
    const entry = entryOf(reply, mark)
    if (entry === undefined || !isLive(entry.expiresAt, clock())) return undefined
    const { version, expiresAt } = entry
    return head === true || version === ifNotVersion ? { notModified: true, version, expiresAt } : entry
  } catch (error) {
    return toStoreError(error, {})
  }
}

/** What a write that depends on the record has to know first. */
export async function look(
  { client, mark, clock }: Dataset,
  wire: string,
  call: CallOptions,
): Promise<Found> {
  const reply = await client.ask(wire, `mg ${wire} b v f c`, call, false)
  const cas = / c(\d+)/.exec(reply.line)?.[1]
  if (reply.value !== undefined && !isOurs(reply, mark)) return { live: undefined, cas, isForeign: true }
  const entry = entryOf(reply, mark)
  return {
    live: entry !== undefined && isLive(entry.expiresAt, clock()) ? entry : undefined,
    cas,
    isForeign: false,
  }
}

/** The record of a reply; `undefined`: a miss. */
function entryOf(reply: Reply, mark: DatasetMark): Entry<Bytes> | undefined {
  const { value } = reply
  if (value === undefined) return undefined
  if (!isOurs(reply, mark)) throw notARecord()
  return decodeRecord(value)
}

function isOurs({ line, value }: Reply, { flags }: DatasetMark): boolean {
  return value !== undefined && isRecord(value) && line.includes(` f${flags} `)
}
