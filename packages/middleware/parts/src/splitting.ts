import {
  type Bytes,
  type CallOptions,
  isStoreError,
  isWritten,
  newVersion,
  type SetMutation,
  type Store,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { type Manifest, partHeaderBytes, partLength, partsIn, sealPart } from './format.ts'
import { partKey } from './keys.ts'

/** Most bytes of parts that are sent at a time. */
const sentBytes = 8_388_608

/** Parts live so much longer than the record that names them, for readers that are about to read them. In milliseconds. */
const longerMs = 600_000

/** Half of the age at which `sweepParts` takes parts by default, in milliseconds. */
const longestWritingMs = 43_200_000

/** Why a value whose parts took so long to write may lack some of them; `undefined`: it has them all. */
export function stoodStill(tookMs: number): StoreError | undefined {
  if (tookMs <= longestWritingMs) return undefined
  const message =
    'The parts of the value took more than 12 hours to write, so a sweep may have removed some of them. Nothing was changed. Try again.'
  return new StoreError('UNAVAILABLE', message)
}

/** When the parts of a value expire, by when it does. Without a time that is known they never do: their record may be touched. */
export function partsExpireAt(expiresAt: number | 'keep' | undefined): number | undefined {
  return typeof expiresAt === 'number' ? expiresAt + longerMs : undefined
}

/** The mutations that write the parts of a value, in batches. */
export function* partMutations(
  owner: string,
  manifest: Manifest,
  value: Bytes,
  expiresAt: number | 'keep' | undefined,
  maxItems: number,
): Generator<readonly SetMutation<Bytes>[]> {
  const many = Math.max(1, Math.min(maxItems, Math.floor(sentBytes / manifest.size)))
  for (let first = 0; first < partsIn(manifest); first += many)
    yield Array.from({ length: Math.min(many, partsIn(manifest) - first) }, (_, i): SetMutation<Bytes> => {
      const start = (first + i) * manifest.size
      const record = Buffer.allocUnsafe(partHeaderBytes + partLength(manifest, first + i))
      record.set(value.subarray(start, start + manifest.size), partHeaderBytes)
      const key = partKey(owner, manifest.id, first + i)
      const bytes = sealPart(key, record)
      return { type: 'set', key, version: newVersion(), value: bytes, expiresAt: partsExpireAt(expiresAt) }
    })
}

/** Write parts. Returns why one of them is not there: nothing was changed then. */
export async function writtenParts(
  inner: Store<Bytes>,
  mutations: readonly SetMutation<Bytes>[],
  call: CallOptions,
): Promise<StoreError | undefined> {
  try {
    const results = await inner.write(mutations, call)
    const failed = results.find((result) => !isWritten(result))
    return failed === undefined ? undefined : withoutEffect(failed)
  } catch (error) {
    return withoutEffect(toStoreError(error, {}))
  }
}

/** A part that is not there: its record was not written, so the value is as it was. */
export function withoutEffect(result: WriteResult): StoreError {
  if (isStoreError(result) && result.code !== 'OUTCOME_UNKNOWN') return result
  const message = 'A part of the value could not be written, so nothing was changed. Try again.'
  return new StoreError('UNAVAILABLE', message, isStoreError(result) ? { cause: result } : {})
}
