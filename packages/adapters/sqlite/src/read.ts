import { andThen, type CallOptions, type Read, type ReadResult } from '@unikv/core'
import type { Backend } from './backend.ts'
import type { Stored } from './jobs.ts'
import { decoded } from './values.ts'

/** Read keys: at once in the caller's thread, or later from another. */
export function read<V>(
  { access, form }: Backend<V>,
  reads: readonly Read[],
  call: CallOptions,
): readonly ReadResult<V>[] | Promise<readonly ReadResult<V>[]> {
  const decodeAll = (results: readonly ReadResult<Stored>[]): readonly ReadResult<V>[] =>
    results.map((result) => decoded(form, result))
  return andThen(access.read(reads, call), decodeAll)
}
