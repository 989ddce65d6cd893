import { type Bytes, type CallOptions, type Mutation, toStoreError, type WriteResult } from '@unikv/core'
import { derive, inParallel } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { writeConditional } from './conditions/write-conditional.ts'
import type { ConditionalStatements, PlainStatements } from './statements.ts'
import { keepsExpiry, writeKeeping, writePlain } from './write-plain.ts'

/**
 * Write keys, each by its own statement on a node that has it, some at the same time: a BATCH over several partitions
 * would burden one coordinator with all of them, and tell nothing of the single ones.
 */
export function write(
  backend: Backend,
  mutations: readonly Mutation<Bytes>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  if (!backend.settings.conditions && !mutations.some(keepsExpiry))
    return writePlain(backend as Backend<PlainStatements>, mutations, call)
  const one = mutations.length === 1
  return inParallel(mutations, backend.settings.concurrency, (mutation) =>
    writeOne(backend, mutation, one ? call : derive(call, { sent: 'part' })).catch((error: unknown) =>
      toStoreError(error, {}),
    ),
  )
}

async function writeOne(
  backend: Backend,
  mutation: Mutation<Bytes>,
  call: CallOptions,
): Promise<WriteResult> {
  if (backend.settings.conditions)
    return writeConditional(backend as Backend<ConditionalStatements>, mutation, call)
  const plain = backend as Backend<PlainStatements>
  if (keepsExpiry(mutation)) return writeKeeping(plain, mutation, call)
  const [result] = await writePlain(plain, [mutation], call)
  return result as WriteResult
}
