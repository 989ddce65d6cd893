import { type Bytes, type CallOptions, type Read, type ReadResult, toStoreError } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import type { SwiftObjects } from './objects.ts'

/** Read keys, each by its own request. */
export function read(
  objects: SwiftObjects,
  reads: readonly Read[],
  lanes: number,
  call: CallOptions,
): Promise<readonly ReadResult<Bytes>[]> {
  return inParallel(reads, lanes, (one) =>
    readOne(objects, one, call).catch((error: unknown) => toStoreError(error, {})),
  )
}

async function readOne(objects: SwiftObjects, one: Read, call: CallOptions): Promise<ReadResult<Bytes>> {
  const { key, head, ifNotVersion } = one
  if (head === true || ifNotVersion !== undefined) {
    const found = await objects.head(key, call)
    if (found === undefined) return undefined
    const { version, expiresAt } = found
    if (head === true || version === ifNotVersion) return { notModified: true, version, expiresAt }
  }
  return objects.get(key, call)
}
