import type { Bytes, Entry } from '@unikv/core'

// A transaction speaks to the layer next to the store by the context of its calls, which all layers between pass on.

/** A record that was prepared, by the layer that did it. */
export interface Prepared {
  /** Write the record that the decision leaves. Resolves to whether that is done; it never fails, as a later reader does the same. */
  settle(isCommitted: boolean): Promise<boolean>
}

/** The knowledge of one attempt of a transaction. */
export class Attempt {
  readonly id: string
  readonly prepared: Prepared[] = []
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
 * - `read`: what is found is remembered.
 * - `validate`: a record that another transaction has prepared is answered as a lost conflict, and not waited for.
 * - `prepare`: a mutation waits in the record for the decision.
 * - `forget`: nothing is sent; caches above take the keys for written.
 */
export class Step {
  readonly kind: 'read' | 'validate' | 'prepare' | 'forget'
  readonly attempt: Attempt

  constructor(kind: Step['kind'], attempt: Attempt) {
    this.kind = kind
    this.attempt = attempt
  }
}
