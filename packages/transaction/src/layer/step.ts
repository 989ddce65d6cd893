import type { Bytes, Entry, LayerFacts } from '@unikv/core'
import { type Fact, fact, isForOne } from '@unikv/core/adapter'

// A transaction speaks to the layer next to the store by a fact of its calls, past all layers between.

/** A record that was prepared, by the layer that did it. */
export interface Prepared {
  /** Write the record that the decision leaves. Resolves to whether that is done; it never fails, as a later reader does the same. */
  settle(isCommitted: boolean): Promise<boolean>
}

/** The knowledge of one attempt of a transaction. */
export class Attempt {
  readonly id: string
  readonly prepared: Prepared[] = []
  /** Name of the store in which it has lost a conflict, where that is known. */
  lostIn: string | undefined
  /** Whether one of its requests may still arrive, although it has ended. */
  mayComeLate = false
  /** Records as they lay in the store when they were read, by the layer that read them. */
  readonly #seen = new Map<object, Map<string, Entry<Bytes> | undefined>>()

  constructor(id: string) {
    this.id = id
  }

  /** Records that a layer has read for it, by the keys of that layer. */
  seenBy(layer: object): Map<string, Entry<Bytes> | undefined> {
    let seen = this.#seen.get(layer)
    if (seen === undefined) {
      seen = new Map()
      this.#seen.set(layer, seen)
    }
    return seen
  }
}

/**
 * A step of an attempt.
 *
 * - `read`: what is found is remembered; a listing settles what it meets, and remembers nothing.
 * - `list`: a listing whose records are remembered.
 * - `peek`: a record that is prepared and not decided is answered as it is committed, and not waited for.
 * - `validate`: a record that another transaction has prepared is answered as a lost conflict, and not waited for.
 * - `prepare`: a mutation waits in the record for the decision.
 * - `together`: all changes are made in one step of the store, if all that was read is as it was; `UNSUPPORTED`: the store cannot do that.
 * - `forget`: nothing is sent; caches above take the keys for written.
 */
export class Step {
  readonly kind: 'read' | 'list' | 'peek' | 'validate' | 'prepare' | 'together' | 'forget'
  readonly attempt: Attempt
  /** The number of records that `together` is about, with those that were only read. */
  readonly size: number

  constructor(kind: Step['kind'], attempt: Attempt, size = 0) {
    this.kind = kind
    this.attempt = attempt
    this.size = size
  }
}

/** The step that a call is part of. */
export const steps: Fact<Step> = fact('transaction.step')

/** The facts of its calls. */
export function factsOf(step: Step | undefined): LayerFacts | undefined {
  return step && steps.with(step, isForOne.with(true))
}
