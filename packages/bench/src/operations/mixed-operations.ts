import { type Awaitable, isPromise } from '@unikv/core'
import type { Operations } from '../loop/operations.ts'
import type { Contexts } from './context.ts'
import { builtIn, type OperationKind, type Outcome, ownOutcomes } from './kinds.ts'
import { type ModuleReference, tellingStale } from './mix.ts'

/** A kind that a loop counts apart: an operation, or one of its outcomes. */
export interface CountedKind {
  readonly name: string
  /** `null`: a success. */
  readonly outcome: Outcome | null
}

/** The kinds that a loop counts for a mix: each operation, then its outcomes. Own operations are those of `module`. */
export function countedKinds(
  names: readonly string[],
  module: Pick<ModuleReference, 'operations'> | null = null,
): readonly CountedKind[] {
  const telling = tellingStale(names, module)
  const outcomesOf = (name: string): readonly Outcome[] =>
    builtIn(name)?.outcomes ?? ownOutcomes(telling.includes(name))
  return [
    ...names.map((name) => ({ name, outcome: null })),
    ...names.flatMap((name) => outcomesOf(name).map((outcome) => ({ name, outcome }))),
  ]
}

/** The operations of a mix over one store; `pick` draws their indexes. */
export class MixedOperations implements Operations {
  readonly kinds: readonly string[]
  readonly ready?: NonNullable<Operations['ready']>
  readonly #contexts: Contexts
  readonly #operations: readonly OperationKind[]
  /** For each operation, the kinds that its outcomes count as. */
  readonly #counted: readonly ReadonlyMap<Outcome, number>[]
  readonly #draw: () => number

  /**
   * @param counted their kinds: successes come first
   * @param draw the index of the next operation
   * @param own the operations that are not built in
   * @param order waits for operations, where they have to be ready
   */
  constructor(
    counted: readonly CountedKind[],
    contexts: Contexts,
    draw: () => number,
    own: ReadonlyMap<string, OperationKind> = new Map(),
    order?: Required<Pick<Operations, 'ready'>>,
  ) {
    if (order !== undefined) this.ready = (ended) => order.ready(ended)
    const names = counted.filter(({ outcome }) => outcome === null).map(({ name }) => name)
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
