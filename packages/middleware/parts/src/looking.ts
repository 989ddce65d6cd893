import {
  type Bytes,
  type CallOptions,
  isEntry,
  isStoreError,
  type ReadResult,
  type Store,
  type Version,
} from '@unikv/core'
import { derive, levelPastCaches } from '@unikv/core/adapter'
import type { Manifest } from './format.ts'
import type { Reading } from './reading.ts'

/** The record at a key before it is written. */
export interface Former {
  /** `null`: there is no record. */
  readonly version: Version | null | undefined
  /** The manifest of a value in parts. */
  readonly manifest: Manifest | undefined
}

/** The records at these keys; those that could not be read are missing. */
export async function look(
  inner: Store<Bytes>,
  reading: Reading,
  owners: readonly string[],
  call: CallOptions,
): Promise<Map<string, Former>> {
  const found = new Map<string, Former>()
  if (owners.length === 0) return found
  const strongest = derive(call, { consistency: levelPastCaches(inner), sent: 'own' })
  let results: readonly ReadResult<Bytes>[]
  try {
    results = await inner.read(
      owners.map((key) => ({ key })),
      strongest,
    )
  } catch {
    // A writer that cannot look writes as if nothing were known.
    return found
  }
  for (const [i, owner] of owners.entries()) {
    const former = formerOf(owner, results[i], reading)
    if (former !== undefined) found.set(owner, former)
  }
  return found
}

function formerOf(owner: string, result: ReadResult<Bytes>, reading: Reading): Former | undefined {
  if (result === undefined) return { version: null, manifest: undefined }
  if (isStoreError(result) || !isEntry(result)) return undefined
  try {
    const head = reading.head(owner, result.value)
    return { version: result.version, manifest: 'value' in head ? undefined : head }
  } catch {
    // A damaged record is replaced like any other.
    return { version: result.version, manifest: undefined }
  }
}
