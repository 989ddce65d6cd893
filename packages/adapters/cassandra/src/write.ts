import { type Bytes, type CallOptions, type Mutation, toStoreError, type WriteResult } from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { ItemCall } from './session.ts'
import type { ConditionalStatements, PlainStatements } from './statements.ts'
import { writeConditional } from './write-conditional.ts'
import { writePlain } from './write-plain.ts'

/**
 * Write keys, each by its own statement on a node that has it, some at the same time: a BATCH over several partitions
 * would burden one coordinator with all of them, and tell nothing of the single ones.
 */
export function write(
  backend: Backend,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const one = mutations.length === 1
  return inParallel(mutations, backend.settings.concurrency, (mutation) =>
    writeOne(backend, mutation, one ? call : new ItemCall(call)).catch((error: unknown) =>
      toStoreError(error, {}),
    ),
  )
}

function writeOne(backend: Backend, mutation: Mutation<Bytes>, call: CallOptions): Promise<WriteResult> {
  return backend.settings.conditions
    ? writeConditional(backend as Backend<ConditionalStatements>, mutation, call)
    : writePlain(backend as Backend<PlainStatements>, mutation, call)
}
