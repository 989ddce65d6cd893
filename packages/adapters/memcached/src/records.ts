import {
  type Bytes,
  type CallOptions,
  type Entry,
  isLive,
  type Read,
  type ReadResult,
  StoreError,
} from '@unikv/core'
import { decodeRecord, isRecord, notARecord } from '@unikv/core/adapter'
import { isError } from '@unikv/core/platform'
import type { Client } from './client/memcached-client.ts'
import type { Reply } from './client/reply-parser.ts'
import type { Answer } from './client/request.ts'
import { type DatasetMark, wireKey } from './wire-key.ts'

/** Parts of reads and writes. */
export interface Dataset {
  readonly client: Client
  readonly mark: DatasetMark
  /** Wall clock in milliseconds. */
  readonly clock: () => number
}

/** The item under a key. */
export interface Found {
  /** The record, if it lives. */
  readonly live: Entry<Bytes> | undefined
  /** The token of the item that stands there, living or not; `undefined`: nothing does. */
  readonly cas: string | undefined
  /** The item that stands there is not a record of this dataset. */
  readonly isForeign: boolean
}

/** For each key its record, *not modified*, `undefined` or an error. Never rejects. */
export function readAll(
  { client, mark, clock }: Dataset,
  reads: readonly Read[],
  call: CallOptions,
): Promise<readonly ReadResult<Bytes>[]> {
  const keys = reads.map(({ key }) => wireKey(mark.prefix, key))
  const commands = keys.map((key) => ({ line: `mg ${key} b v f`, replies: 'VA EN' }))
  return client.askAll(keys, commands, call, false).then((answers) => {
    const now = clock()
    return answers.map((answer, i) => resultOf(answer, reads[i] as Read, mark, now))
  })
}

function resultOf(
  answer: Answer,
  { head, ifNotVersion }: Read,
  mark: DatasetMark,
  now: number,
): ReadResult<Bytes> {
  if (isError(answer)) return answer
  if (answer.value === undefined) return undefined
  if (!isOurs(answer, mark)) return notARecord()
  const entry = decodeRecord(answer.value)
  if (!isLive(entry.expiresAt, now)) return undefined
  if (head !== true && ifNotVersion === undefined) return entry
  const { version, expiresAt } = entry
  return head === true || version === ifNotVersion ? { notModified: true, version, expiresAt } : entry
}

/** Looks at the record, for a write that depends on it. */
export async function look(
  { client, mark, clock }: Dataset,
  wire: string,
  call: CallOptions,
): Promise<Found> {
  const reply = await client.ask(wire, { line: `mg ${wire} b v f c`, replies: 'VA EN' }, call, false)
  const cas = / c(\d+)(?: |$)/.exec(reply.line)?.[1]
  if (reply.value !== undefined && cas === undefined) throw noToken()
  if (reply.value === undefined) return { live: undefined, cas, isForeign: false }
  if (!isOurs(reply, mark)) return { live: undefined, cas, isForeign: true }
  const entry = decodeRecord(reply.value)
  return { live: isLive(entry.expiresAt, clock()) ? entry : undefined, cas, isForeign: false }
}

function noToken(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'The server sent a record without the requested token; nothing was changed. Check what answers at its address.',
    { retryable: false },
  )
}

/** Whether a value is a record of this dataset. */
function isOurs({ line, value }: Reply, { flags }: DatasetMark): boolean {
  return value !== undefined && isRecord(value) && line.includes(` f${flags} `)
}
