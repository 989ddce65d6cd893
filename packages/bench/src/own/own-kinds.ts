import { bounded, callOptions } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { failureCode } from '../loop/loop-result.ts'
import type { OperationContext } from '../operations/context.ts'
import { type OperationKind, type Outcome, ownOutcomes } from '../operations/kinds.ts'
import { invalidArgument, messageOf } from '../options/invalid.ts'
import { fastRandom, subSeed } from '../random/random.ts'
import type { OwnContext, OwnOperation, OwnWorkload } from './define-workload.ts'
import type { OwnOrder } from './own-order.ts'

/** States of callers. Each operation takes one, so that as many are made as operations are under way at one time. */
class OwnStates {
  readonly #make: OwnWorkload<unknown>['state']
  readonly #context: Pick<OwnContext, 'kv' | 'random'>
  readonly #free: unknown[] = []
  #made = 0

  constructor(make: OwnWorkload<unknown>['state'], context: Pick<OwnContext, 'kv' | 'random'>) {
    this.#make = make
    this.#context = context
  }

  /** Make some before their time would count. */
  async prepare(count: number): Promise<void> {
    if (this.#make === undefined) return
    const states = await Promise.all(Array.from({ length: count }, () => this.#next()))
    this.#free.push(...states.reverse())
  }

  /** A free state. */
  take(): unknown {
    if (this.#free.length > 0) return this.#free.pop()
    return this.#next()
  }

  /** It is free again. */
  give(state: unknown): void {
    if (this.#make !== undefined) this.#free.push(state)
  }

  #next(): unknown {
    const { kv, random } = this.#context
    return this.#make?.({ index: this.#made++, kv, random })
  }
}

// Known by name: a module may have another copy of this package.
const miss = Symbol.for('unikv.miss')
const conflict = Symbol.for('unikv.conflict')
const stale = Symbol.for('unikv.stale')

const outcomes: ReadonlyMap<unknown, Outcome> = new Map<unknown, Outcome>([
  [miss, 'miss'],
  [conflict, 'conflict'],
  [stale, 'stale'],
])

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
  /** Ends the wait for states. */
  readonly signal: AbortSignal
  /** Sessions that hold states. @default each caller has one */
  readonly order?: OwnOrder | undefined
}

/** Where operations take their states from. */
type States = Pick<OwnStates, 'take' | 'give'>

/**
 * The own operations of a module by name, for one run.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` if `state` of the module failed; the reason of the signal
 */
export async function ownKinds(
  workload: OwnWorkload<unknown>,
  run: OwnRun,
): Promise<ReadonlyMap<string, OperationKind>> {
  const own = ownContext(run)
  const states = run.order ?? (await prepared(new OwnStates(workload.state, own), run))
  const entries = Object.entries(workload.operations ?? {})
  return new Map(entries.map(([name, operation]) => [name, kindOf(name, operation, own, states, run)]))
}

async function prepared(states: OwnStates, { callers, file, timeoutMs, signal }: OwnRun): Promise<OwnStates> {
  const call = callOptions({ signal, deadlineAt: performance.now() + timeoutMs })
  let isLate = false
  const endEarly = (): void => void (isLate = true)
  try {
    await bounded(call, false, () => states.prepare(callers), endEarly)
    return states
  } catch (cause) {
    signal.throwIfAborted()
    const what = `state of ${file}`
    const { message } = isLate ? late(what, timeoutMs) : failed(what, cause)
    throw invalidArgument(message, cause)
  }
}

function ownContext({ context, seed }: OwnRun): OwnContext {
  const { kv, chooser, keyOf, valueOf } = context
  const random = fastRandom(subSeed(seed, 'own'))
  return {
    kv,
    keyOf,
    valueOf,
    miss,
    conflict,
    stale,
    draw: () => chooser.next(),
    random: () => random.next(),
  }
}

function kindOf(
  name: string,
  operation: OwnOperation<unknown>,
  own: OwnContext,
  states: States,
  { timeoutMs }: OwnRun,
): OperationKind {
  return {
    outcomes: ownOutcomes(operation.tellsStale === true),
    outcomeOf: (answer) => outcomes.get(answer),
    start: async ({ kv }) => {
      const call = callOptions({ deadlineAt: performance.now() + timeoutMs })
      let hasEnded = true
      const endEarly = (): void => void (hasEnded = false)
      const done = async (): Promise<unknown> => {
        const state = await taken(states)
        try {
          const answer = await operation.run(kv === own.kv ? own : { ...own, kv }, state)
          if (answer === stale && operation.tellsStale !== true)
            throw invalidArgument('It answered context.stale. Give the operation `tellsStale: true`.')
          return answer
        } finally {
          if (hasEnded) states.give(state)
        }
      }
      try {
        return await bounded(call, false, done, endEarly)
      } catch (error) {
        if (!hasEnded) throw late(name, timeoutMs)
        throw error instanceof NoState ? failed(`state for ${name}`, error.cause) : failed(name, error)
      }
    },
  }
}

/** A state could not be made. */
class NoState extends Error {}

function failed(name: string, error: unknown): Error {
  const code = failureCode(error)
  return Object.assign(new Error(`${name} failed (${code}): ${messageOf(error)}`, { cause: error }), { code })
}

function late(name: string, timeoutMs: number): Error {
  const message = `${name} failed (TIMEOUT): it did not settle within ${timeoutMs} ms`
  return Object.assign(new Error(message), { code: 'TIMEOUT' })
}

/** A state that is made now, at a rate: its failure is one of the operation. */
async function taken(states: States): Promise<unknown> {
  try {
    return await states.take()
  } catch (cause) {
    throw new NoState('no state', { cause })
  }
}
