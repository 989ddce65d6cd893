import {
  type Bytes,
  type CallOptions,
  type Mutation,
  type SetMutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { encodeRecord, inParallel } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { SwiftObjects } from './objects.ts'

/** Write keys, each by its own request. */
export function write(
  objects: SwiftObjects,
  mutations: readonly Mutation<Bytes>[],
  lanes: number,
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  // Records are made now: the caller may change its values while requests wait.
  const records = mutations.map((one) => (one.type === 'set' ? recordOf(one) : undefined))
  return inParallel(mutations, lanes, (mutation, i) =>
    writeOne(objects, mutation, records[i], call).catch((error: unknown) => toStoreError(error, {})),
  )
}

async function writeOne(
  objects: SwiftObjects,
  mutation: Mutation<Bytes>,
  record: Buffer | undefined,
  call: CallOptions,
): Promise<WriteResult> {
  const { key, version } = mutation
  if (mutation.type === 'touch') return touch(objects, key, secondsOf(mutation.expiresAt), call)
  const endsAt = mutation.type === 'set' ? await endOf(objects, mutation, call) : undefined
  // A record that has expired already is one that is not there.
  const isSet = record !== undefined && !isPast(endsAt) && (await objects.put(key, record, endsAt, call))
  if (!isSet) await objects.delete(key, call)
  return { version }
}

async function touch(
  objects: SwiftObjects,
  key: string,
  endsAt: number | undefined,
  call: CallOptions,
): Promise<WriteResult> {
  const outcome = isPast(endsAt) ? 'late' : await objects.touch(key, endsAt, call)
  if (outcome === 'absent') return { conditionFailed: true }
  if (outcome === 'late')
    return (await objects.delete(key, call)) ? { version: undefined } : { conditionFailed: true }
  // The answer to a POST tells no version; if this read fails, the touch has taken effect all the same.
  const found = await objects.head(key, call).catch(() => undefined)
  return { version: found?.version }
}

/** The second in which the record will end. */
async function endOf(
  objects: SwiftObjects,
  { key, expiresAt }: SetMutation<Bytes>,
  call: CallOptions,
): Promise<number | undefined> {
  if (expiresAt !== 'keep') return secondsOf(expiresAt)
  const present = secondsOf((await objects.head(key, call))?.expiresAt)
  // It ended meanwhile: what is set now is a new record.
  return isPast(present) ? undefined : present
}

/** The expiry stands in the metadata of the object, where it can be changed. */
function recordOf({ value, version }: SetMutation<Bytes>): Buffer {
  return encodeRecord(value, version, undefined)
}

function secondsOf(expiresAt: number | undefined): number | undefined {
  return expiresAt === undefined ? undefined : Math.ceil(expiresAt / 1_000)
}

function isPast(endsAt: number | undefined): boolean {
  return endsAt !== undefined && endsAt * 1_000 <= wallClock()
}
