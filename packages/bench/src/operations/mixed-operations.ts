import { type Awaitable, isPromise } from '@unikv/core'
import type { Operations } from '../loop/operations.ts'
import type { Contexts } from './context.ts'
import { builtIn, type OperationKind, type Outcome, ownOutcomes } from './kinds.ts'

/** A kind that a loop counts apart: an operation, or one of its outcomes. */
export interface CountedKind {
  readonly name: string
  /** `null`: a success. */
  readonly outcome: Outcome | null
}

/** The kinds that a loop counts for a mix: each operation, then its outcomes. */
export function countedKinds(names: readonly string[]): readonly CountedKind[] {
  return [
    ...names.map((name) => ({ name, outcome: null })),
    ...names.flatMap((name) =>
      (builtIn(name)?.outcomes ?? ownOutcomes).map((outcome) => ({ name, outcome })),
    ),
  ]
}

/** The operations of a mix over one store, in the order in which `pick` draws them. */
export class MixedOperations implements Operations {
  readonly kinds: readonly string[]
  readonly ready?: NonNullable<Operations['ready']>
  readonly #contexts: Contexts
  readonly #operations: readonly OperationKind[]
  /** For each operation, the kinds that its outcomes count as. */
  readonly #counted: readonly ReadonlyMap<Outcome, number>[]
  readonly #draw: () => number

  /**
   * @param draw the index of the next operation among `names`
   * @param own the operations that are not built in
   * @param order waits for operations, where they have to be ready
   */
  constructor(
    names: readonly string[],
    contexts: Contexts,
    draw: () => number,
    own: ReadonlyMap<string, OperationKind> = new Map(),
    order?: Required<Pick<Operations, 'ready'>>,
  ) {
    if (order !== undefined) this.ready = (ended) => order.ready(ended)
    const counted = countedKinds(names)
    this.kinds = counted.map(({ name, outcome }) => (outcome === null ? name : `${name} (${outcome})`))
    this.#contexts = contexts
    this.#draw = draw
    this.#operations = names.map((name) => (own.get(name) ?? builtIn(name)) as OperationKind)
    this.#counted = names.map(
      (name) =>
        new Map(
          counted.flatMap((kind, index) =>
            kind.name === name && kind.outcome !== null ? [[kind.outcome, index] as const] : [],
          ),
        ),
    )
  }

  pick(): number {
    return this.#draw()
  }

  start(kind: number): Awaitable<unknown> {
    const { context, end } = this.#contexts.take()
    let answer: Awaitable<unknown>
    try {
      answer = (this.#operations[kind] as OperationKind).start(context)
    } catch (error) {
      end?.()
      throw error
    }
    if (end === undefined) return answer
    if (isPromise(answer)) answer.then(end, end)
    else end()
    return answer
  }

  check(kind: number, _sequence: number, answer: unknown): number | undefined {
    const outcome = this.#operations[kind]?.outcomeOf?.(answer)
    return outcome === undefined ? undefined : this.#counted[kind]?.get(outcome)
  }
}
