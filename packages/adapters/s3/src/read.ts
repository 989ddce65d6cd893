import type { GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { type Bytes, type CallOptions, type Entry, type Read, type ReadResult, StoreError } from '@unikv/core'
import { inParallel, notARecord } from '@unikv/core/adapter'
import { partLength } from '@unikv/core/http-client'
import type { Requests } from './client/requests.ts'
import { notS3 } from './errors.ts'
import { encodeName } from './object-name.ts'
import { decodeHead, decodeObject, headBytes, overheadBytes, type RecordHead } from './object-record.ts'

/** The first bytes of an object, and what a change of it can be bound to. */
export interface Found {
  readonly etag: string
  /** `undefined`: the object is not a record. */
  readonly head: RecordHead | undefined
  /** Judged by the clock of the server. */
  readonly isExpired: boolean
}

/** Told of an expired record that a read met. */
export type OnExpired = (key: string, etag: string) => void

/** The answer for each key; rejects only if none could be asked for. */
export function readAll(
  requests: Requests,
  reads: readonly Read[],
  call: CallOptions,
  onExpired: OnExpired,
): Promise<readonly ReadResult<Bytes>[]> {
  return inParallel(reads, requests.width, async (read): Promise<ReadResult<Bytes>> => {
    try {
      return await readOne(requests, read, call, onExpired)
    } catch (error) {
      return error as StoreError
    }
  })
}

/** The first bytes of an object; `undefined` if there is none. */
export async function look(requests: Requests, key: string, call: CallOptions): Promise<Found | undefined> {
  const answer = await get(requests, key, call, headBytes)
  if (answer.refused === 'empty') return { etag: '', head: undefined, isExpired: false }
  if (answer.refused !== undefined) return undefined
  const { etag, bytes } = answer.output
  try {
    const head = decodeHead(bytes)
    return { etag, head, isExpired: isExpired(head, answer.now) }
  } catch {
    return { etag, head: undefined, isExpired: false }
  }
}

async function readOne(
  requests: Requests,
  { key, head, ifNotVersion }: Read,
  call: CallOptions,
  onExpired: OnExpired,
): Promise<ReadResult<Bytes>> {
  if (head !== true && ifNotVersion === undefined) return readWhole(requests, key, call, onExpired)
  const found = await look(requests, key, call)
  if (found === undefined) return undefined
  if (found.head === undefined) throw notARecord()
  if (found.isExpired) {
    onExpired(key, found.etag)
    return undefined
  }
  if (head === true || found.head.version === ifNotVersion) return { notModified: true, ...found.head }
  return readWhole(requests, key, call, onExpired)
}

async function readWhole(
  requests: Requests,
  key: string,
  call: CallOptions,
  onExpired: OnExpired,
): Promise<Entry<Bytes> | undefined> {
  const answer = await get(requests, key, call)
  if (answer.refused === 'empty') throw notARecord()
  if (answer.refused !== undefined) return undefined
  const { etag, bytes } = answer.output
  const { value, version, expiresAt } = decodeObject(bytes)
  if (!isExpired({ version, expiresAt }, answer.now)) return { value, version, expiresAt }
  onExpired(key, etag)
  return undefined
}

/** An object, or its first bytes. */
function get(requests: Requests, key: string, call: CallOptions, first?: number) {
  const { driver, bucket, prefix } = requests
  const command = new driver.GetObjectCommand({
    Bucket: bucket,
    Key: prefix + encodeName(key),
    ...(first === undefined ? {} : { Range: `bytes=0-${first - 1}` }),
  })
  const most = (first ?? requests.maxValueBytes) + overheadBytes
  return requests.read(
    call,
    command,
    async ({ Body, ETag, ContentLength = 0, ContentRange }: GetObjectCommandOutput) => {
      const refuse = (error: StoreError): never => {
        ;(Body as { destroy?(): void } | undefined)?.destroy?.()
        throw error
      }
      const part = partLength(ContentRange)
      if (ETag === undefined || (part !== undefined && part !== ContentLength)) return refuse(notS3(false))
      if (ContentLength > most) return refuse(tooLong(ContentLength, first))
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array()
      return { etag: ETag, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) }
    },
  )
}

function isExpired({ expiresAt }: RecordHead, now: () => number): boolean {
  return expiresAt !== undefined && expiresAt <= now()
}

function tooLong(length: number, first: number | undefined): StoreError {
  const message =
    first === undefined
      ? `The object has ${length} bytes, more than maxValueBytes allows.`
      : 'This S3 service sends whole objects when asked for their first bytes.'
  return new StoreError(first === undefined ? 'VALUE_TOO_LARGE' : 'UNSUPPORTED', message)
}
