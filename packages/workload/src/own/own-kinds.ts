import { isStoreError, StoreError } from '@unikv/core'
import { bounded, callOptions } from '@unikv/core/adapter'
import { isError, performance } from '@unikv/core/platform'
import type { OperationContext } from '../operations/context.ts'
import { type OperationKind, ownOutcomes } from '../operations/kinds.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import type { OwnContext, OwnOperation, OwnWorkload } from './define-workload.ts'
import { OwnStates } from './own-states.ts'

// Known by name: a module may have another copy of this package.
const miss = Symbol.for('unikv.miss')
const conflict = Symbol.for('unikv.conflict')

/** How own operations are done in one run. */
export interface OwnRun {
  readonly context: OperationContext
  /** The module in messages. */
  readonly file: string
  readonly seed: number
  /** An operation that did not settle by then has failed. */
  readonly timeoutMs: number
  /** States to make before the run begins. */
  readonly callers: number
}

/**
 * The own operations of a module by name, for one run.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if `state` of the module failed
 */
export async function ownKinds(
  workload: OwnWorkload<unknown>,
  run: OwnRun,
): Promise<ReadonlyMap<string, OperationKind>> {
  const own = ownContext(run)
  const states = new OwnStates(workload.state, own)
  await states.prepare(run.callers).catch((cause: unknown) => {
    throw new StoreError('INVALID_ARGUMENT', failed(`state of ${run.file}`, cause).message, { cause })
  })
  const entries = Object.entries(workload.operations ?? {})
  return new Map(entries.map(([name, operation]) => [name, kindOf(name, operation, own, states, run)]))
}

function ownContext({ context, seed }: OwnRun): OwnContext {
  const { kv, chooser, keyOf, valueOf } = context
  const random = fastRandom(subSeed(seed, 'own'))
  return { kv, keyOf, valueOf, miss, conflict, draw: () => chooser.next(), random: () => random.next() }
}

function kindOf(
  name: string,
  operation: OwnOperation<unknown>,
  own: OwnContext,
  states: OwnStates,
  { timeoutMs }: OwnRun,
): OperationKind {
  const done = async (state: unknown): Promise<unknown> => operation.run(own, state)
  return {
    outcomes: ownOutcomes,
    outcomeOf: (answer) => (answer === miss ? 'miss' : answer === conflict ? 'conflict' : undefined),
    start: async () => {
      const state = await taken(states, name)
      const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
      let hasEnded = true
      try {
        return await bounded(
          call,
          false,
          () => done(state),
          () => (hasEnded = false),
        )
      } catch (error) {
        throw hasEnded ? failed(name, error) : late(name, timeoutMs)
      } finally {
        if (hasEnded) states.give(state)
      }
    },
  }
}

function failed(name: string, error: unknown): Error {
  const message = isError(error) ? error.message : String(error)
  return new Error(`${name} failed (${codeOf(error)}): ${message}`, { cause: error })
}

function late(name: string, timeoutMs: number): Error {
  return new Error(`${name} failed (TIMEOUT): it did not settle within ${timeoutMs} ms`)
}

/** A state that is made now, at a rate: its failure is one of the operation. */
async function taken(states: OwnStates, name: string): Promise<unknown> {
  try {
    return await states.take()
  } catch (error) {
    throw failed(`state for ${name}`, error)
  }
}

/** The code of an error, or its name. */
function codeOf(error: unknown): string {
  if (isStoreError(error)) return error.code
  if (!isError(error)) return typeof error
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error.name
}
