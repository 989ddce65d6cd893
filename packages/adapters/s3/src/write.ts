import type {
  DeleteObjectCommandOutput,
  DeleteObjectsCommandOutput,
  PutObjectCommandOutput,
} from '@aws-sdk/client-s3'
import {
  type Bytes,
  type CallOptions,
  type ConditionFailed,
  type Mutation,
  type SetMutation,
  StoreError,
  type WriteResult,
} from '@unikv/core'
import { inParallel, notARecord, unanswered } from '@unikv/core/adapter'
import type { Answer, Requests } from './client/requests.ts'
import { notS3, translateItem } from './errors.ts'
import { encodeName } from './object-name.ts'
import { encodeObject } from './object-record.ts'
import { type Found, look } from './read.ts'

/** Mutations that S3 takes: it can neither touch nor count. */
type Change = Extract<Mutation<Bytes>, { type: 'set' | 'delete' }>

/** How often a write that others get ahead of is bound anew. */
const mostTries = 16

/** The outcome of each mutation; rejects only if none could be attempted. */
export async function writeAll(
  requests: Requests,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const changes = mutations as readonly Change[]
  call.sent = false
  const plain = changes.filter(isPlainDelete)
  const together = plain.length > 1 ? deleteTogether(requests, plain, call) : undefined
  // It may fail before a place is free for the first that waits for it.
  together?.catch(() => undefined)
  return inParallel(changes, requests.width, async (change): Promise<WriteResult> => {
    try {
      if (together === undefined || !isPlainDelete(change)) return await writeOne(requests, change, call)
      const failures = await together
      return failures.get(change.key) ?? { version: change.version }
    } catch (error) {
      return error as StoreError
    }
  })
}

/** Delete an object if it is still the one with this ETag. */
export function deleteIf(
  requests: Requests,
  key: string,
  etag: string,
  call: CallOptions,
): Promise<Answer<unknown>> {
  return deleteOne(requests, key, { IfMatch: etag }, call)
}

/** S3 answers a deletion without a body: a longer answer is not from S3. */
async function deleteOne(
  requests: Requests,
  key: string,
  condition: { readonly IfMatch?: string },
  call: CallOptions,
): Promise<Answer<unknown>> {
  const { driver, bucket } = requests
  const asked = { Bucket: bucket, Key: nameOf(requests, key), ...condition }
  const answer = await requests.write<DeleteObjectCommandOutput>(call, new driver.DeleteObjectCommand(asked))
  if (answer.refused === undefined && answer.output.$metadata.httpStatusCode !== noContent) throw notS3(true)
  return answer
}

const noContent = 204

function isPlainDelete({ type, ifVersion }: Change): boolean {
  return type === 'delete' && ifVersion === undefined
}

async function writeOne(requests: Requests, change: Change, call: CallOptions): Promise<WriteResult> {
  const { type, ifVersion, version } = change
  if (type === 'delete' && ifVersion === undefined) {
    await deleteOne(requests, change.key, {}, call)
    return { version }
  }
  if (type === 'set' && change.expiresAt !== 'keep' && typeof ifVersion !== 'string') {
    // Most keys that a call makes are not there: no need to look first.
    if (await put(requests, change, change.expiresAt, ifVersion === null ? null : undefined, call))
      return { version }
  }
  return bound(requests, change, call)
}

/** Look, and write bound to what was seen. */
async function bound(requests: Requests, change: Change, call: CallOptions): Promise<WriteResult> {
  const { ifVersion, version, key } = change
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await look(requests, key, call)
    const present = found === undefined || found.isExpired ? undefined : found
    const refusal = refusalOf(ifVersion, present)
    if (refusal !== undefined) return refusal
    if (await replace(requests, change, found, call)) return { version }
    // Versions never come back: the expected one is gone. Other conditions may hold again.
    if (typeof ifVersion === 'string') return { conditionFailed: true }
  }
  throw new StoreError(
    'UNAVAILABLE',
    'Other writers kept changing the object; nothing was changed. Try again later.',
  )
}

function refusalOf(ifVersion: Change['ifVersion'], present: Found | undefined): ConditionFailed | undefined {
  const there = present?.head?.version
  const holds = ifVersion === undefined || (ifVersion === null ? present === undefined : there === ifVersion)
  return holds ? undefined : { conditionFailed: true, version: there }
}

/** Write if the object is still the one that was found; whether it was. */
async function replace(
  requests: Requests,
  change: Change,
  found: Found | undefined,
  call: CallOptions,
): Promise<boolean> {
  // An object without a byte is not ours, and there is nothing to bind to.
  if (found?.etag === '') throw notARecord()
  if (change.type === 'delete') {
    if (found === undefined) return true
    return (await deleteIf(requests, change.key, found.etag, call)).refused === undefined
  }
  const kept = found?.isExpired === false ? found.head?.expiresAt : undefined
  return put(
    requests,
    change,
    change.expiresAt === 'keep' ? kept : change.expiresAt,
    found?.etag ?? null,
    call,
  )
}

/** Put an object: always, or only in the place of that with this ETag (`null`: of none). Whether it was put. */
async function put(
  requests: Requests,
  { key, value, version }: SetMutation<Bytes>,
  expiresAt: number | undefined,
  etag: string | null | undefined,
  call: CallOptions,
): Promise<boolean> {
  const { driver, bucket } = requests
  const command = new driver.PutObjectCommand({
    Bucket: bucket,
    Key: nameOf(requests, key),
    Body: encodeObject(value, version, expiresAt),
    ...(etag === null ? { IfNoneMatch: '*' } : {}),
    ...(typeof etag === 'string' ? { IfMatch: etag } : {}),
  })
  const answer = await requests.write<PutObjectCommandOutput>(call, command)
  if (answer.refused === undefined && answer.output.ETag === undefined) throw notS3(true)
  return answer.refused === undefined
}

/** Delete objects in one request; the errors by key. */
async function deleteTogether(
  requests: Requests,
  changes: readonly Change[],
  call: CallOptions,
): Promise<ReadonlyMap<string, StoreError>> {
  const { driver, bucket } = requests
  const keys = new Map(changes.map(({ key }) => [nameOf(requests, key), key]))
  const command = new driver.DeleteObjectsCommand({
    Bucket: bucket,
    Delete: { Objects: Array.from(keys.keys(), (Key) => ({ Key })) },
  })
  const answer = await requests.write<DeleteObjectsCommandOutput>(call, command)
  // It names no object of its own and sets no condition: S3 does not refuse this, so the answer says nothing of the objects.
  if (answer.refused !== undefined) throw unanswered('S3', true, new Error(answer.refused))
  const { Deleted = [], Errors = [] } = answer.output
  const done = new Set(Deleted.map(({ Key }) => Key))
  const failed = new Map(Errors.map(({ Key, Code = '' }) => [Key, Code]))
  return new Map(
    Array.from(keys).flatMap(([name, key]) => {
      const code = failed.get(name)
      if (code !== undefined) return [[key, translateItem(code, bucket)] as const]
      return done.has(name) ? [] : [[key, notS3(true)] as const]
    }),
  )
}

function nameOf({ prefix }: Requests, key: string): string {
  return prefix + encodeName(key)
}
