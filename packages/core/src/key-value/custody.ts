import { encoded, held } from '../codecs/codec.ts'
import { ownValue } from '../codecs/documents.ts'
import { type Awaitable, andThen, isPromise } from '../contract/awaitable.ts'
import { isStoreError, type StoreError } from '../contract/errors.ts'
import type { Mutation, SetMutation } from '../contract/store.ts'
import { type EncodedValue, encodedValue, type PlanCodec } from '../stack/facts.ts'
import type { StackParts } from '../stack/layers-of.ts'

type Mutations = readonly Mutation<unknown>[]

/**
 * Keeps the values of calls as they were when the calls were made. A value is its owner's again as soon as the method has
 * returned its promise, so what is not encoded by then is copied or encoded here, once for all stores and layers.
 */
export class Custody {
  /** Whether a write that starts at once needs it. */
  isNeeded: boolean
  /** Whether values that are read may be bytes. */
  readonly isOfBytes: boolean
  readonly #parts: StackParts
  #isAtOnce: boolean

  constructor(parts: StackParts) {
    this.#parts = parts
    const { codec, isCovered, isAtOnce } = parts
    this.#isAtOnce = isAtOnce
    this.isOfBytes = codec?.isFresh !== true
    this.isNeeded = codec?.isFresh !== true || isCovered
  }

  /** A write was answered so: a store that says it answers at once, and does, has taken what it needs by then. */
  answered(atOnce: boolean): void {
    if (!this.#isAtOnce) return
    this.#isAtOnce = atOnce
    this.isNeeded = this.isOfBytes && !atOnce
  }

  /** Mutations for a write that starts now. */
  now(mutations: Mutations): Mutations {
    for (const mutation of mutations) {
      if (mutation.type !== 'set') continue
      this.#takeBytes(mutation)
      if (this.#parts.isCovered) this.#encode(mutation)
    }
    return mutations
  }

  /** Mutations for a write that waits for its turn, or the error that rejects it. */
  later(mutations: Mutations): Awaitable<readonly (Mutation<unknown> | StoreError)[]> {
    const kept = mutations.map((mutation): Awaitable<Mutation<unknown> | StoreError> => {
      if (mutation.type !== 'set') return mutation
      this.#takeBytes(mutation)
      return this.#parts.codec === undefined ? mutation : this.#restored(mutation, this.#encode(mutation))
    })
    return kept.some((one) => isPromise(one))
      ? Promise.all(kept.map(async (one) => one))
      : (kept as Mutations)
  }

  /** Copies bytes; without a codec, copies any value. */
  #takeBytes(mutation: OwnSet): void {
    const { value } = mutation
    if (this.#parts.codec === undefined || ArrayBuffer.isView(value)) mutation.value = ownValue(value)
  }

  #encode(mutation: OwnSet): EncodedValue {
    const { own } = this.#parts.codec as PlanCodec
    const made = { by: own, of: mutation.value, as: encoded(mutation.value, own) }
    mutation.facts = encodedValue.with(made)
    return made
  }

  /** Layers above the codec get what it would bring back, as they may look at the value at their turn. */
  #restored(mutation: OwnSet, made: EncodedValue): Awaitable<Mutation<unknown> | StoreError> {
    const { isCovered, codec } = this.#parts
    return andThen(made.as, (as) => {
      if (isStoreError(as)) return as
      if (!isCovered || ArrayBuffer.isView(mutation.value)) return mutation
      const { own } = codec as PlanCodec
      return andThen(
        held(() => own.decode(as), own),
        (value) =>
          isStoreError(value)
            ? value
            : { ...mutation, value, facts: encodedValue.with({ by: made.by, of: value, as }) },
      )
    })
  }
}

/** A set that core made for this call: it has no other owner yet, so it is completed in place. */
type OwnSet = { -readonly [K in keyof SetMutation<unknown>]: SetMutation<unknown>[K] }
