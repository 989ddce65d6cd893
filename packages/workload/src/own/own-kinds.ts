import { isStoreError } from '@unikv/core'
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
  readonly seed: number
  /** An operation that did not settle by then has failed. */
  readonly timeoutMs: number
  /** States to make before the run begins. */
  readonly callers: number
}

/**
 * The own operations of a module by name, for one run.
 *
 * @throws what `state` of the module threw
 */
export async function ownKinds(
  workload: OwnWorkload<unknown>,
  run: OwnRun,
): Promise<ReadonlyMap<string, OperationKind>> {
  const own = ownContext(run)
  const states = new OwnStates(workload.state, own)
  await states.prepare(run.callers)
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
      const state = await states.take()
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

/** The code of an error, or its name. */
function codeOf(error: unknown): string {
  if (isStoreError(error)) return error.code
  if (!isError(error)) return typeof error
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' ? code : error.name
}
