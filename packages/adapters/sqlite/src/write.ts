import {
  type CallOptions,
  type Check,
  isStoreError,
  type Mutation,
  StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import type { Backend } from './backend.ts'
import { refusedToo } from './file/whole-call.ts'
import type { Stored } from './jobs.ts'
import { encoded, type ValueForm } from './values.ts'

/** Write as a whole: at once in the caller's thread, or later in another. With checks, all changes or none. */
export function write<V>(
  { access, form, readOnly }: Backend<V>,
  mutations: readonly Mutation<V>[],
  call: CallOptions,
  checks?: readonly Check[],
): readonly WriteResult[] | Promise<readonly WriteResult[]> {
  if (readOnly) throw readOnlyError()
  const stored = mutations.map((mutation) => encodedOr(form, mutation))
  const refusal = stored.find(isStoreError)
  if (refusal !== undefined) return stored.map((one) => (isStoreError(one) ? one : refusedToo(refusal)))
  // Until it is on its way to a thread.
  call.sent = false
  return access.ask({ verb: 'write', mutations: stored as readonly Mutation<Stored>[], checks }, call)
}

function readOnlyError(): StoreError {
  return new StoreError('ACCESS_DENIED', 'This store was opened with readOnly: true; nothing was changed.')
}

function encodedOr<V>(form: ValueForm<V>, mutation: Mutation<V>): Mutation<Stored> | StoreError {
  try {
    return encoded(form, mutation)
  } catch (error) {
    return toStoreError(error, { code: 'INVALID_VALUE' })
  }
}
