import type { Bytes, CallOptions, Mutation, ReadResult, Store, WriteResult } from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import type { Random } from '@unikv/test-kit/schedules'
import type { Mutations } from './mutations.ts'
import type { Witness } from './witness.ts'

const keys = ['a', 'b', 'c'] as const
/** One key is busier, so that writes meet. */
const weighted = ['a', 'a', 'a', 'a', 'b', 'c'] as const

/** Those who call the layer at random. */
export class Callers {
  /** Calls that have no answer yet. */
  underWay = 0
  readonly #random: Random
  readonly #mutations: Mutations
  readonly #witness: Witness
  readonly #aborts = new Set<AbortController>()

  constructor(random: Random, mutations: Mutations, witness: Witness) {
    this.#random = random
    this.#mutations = mutations
    this.#witness = witness
  }

  /** Abort the calls that may be. */
  abort(): void {
    for (const abort of this.#aborts) abort.abort()
    this.#aborts.clear()
  }

  /** The options of a call, which now and then may be aborted. */
  #callOptions(): CallOptions {
    if (this.#random.chance(0.7)) return callOptions()
    const abort = new AbortController()
    this.#aborts.add(abort)
    return callOptions({ signal: abort.signal })
  }

  /** Read, write or clear, noted by the witness. */
  call(store: Store<Bytes>): Promise<void> {
    const random = this.#random
    const chosen = random.chance(0.75) ? [random.pick(weighted)] : keys.slice(0, 2 + random.below(2))
    this.underWay++
    return this.#work(store, chosen).then(() => {
      this.underWay = Math.max(0, this.underWay - 1)
    })
  }

  #work(store: Store<Bytes>, chosen: readonly string[]): Promise<void> {
    const dice = this.#random.next()
    if (dice < 0.45) return this.read(store, chosen)
    if (dice < 0.48) return this.#clear(store)
    return this.#write(
      store,
      chosen.map((key) => this.#mutations.random(key)),
    )
  }

  /** Read these keys. */
  async read(store: Store<Bytes>, chosen: readonly string[]): Promise<void> {
    const calledAt = this.#witness.called()
    const reads = chosen.map((key) => ({ key }))
    try {
      const results = chosen.length > 2 ? await this.#listed(store) : await store.read(reads, callOptions())
      for (const [i, key] of chosen.entries()) this.#witness.read(key, results[i], calledAt)
    } catch (error) {
      this.#witness.failed(error)
    }
  }

  /** As `KeyValue.clear`: what is listed, parts too, and in whatever order the store removes it. */
  async #clear(store: Store<Bytes>): Promise<void> {
    const listed: string[] = []
    for await (const page of store.scan({ prefix: '', pageSize: 10, values: false }, callOptions()))
      for (const { key } of page.entries) listed.push(key)
    await this.#write(
      store,
      listed.map((key) => this.#mutations.removal(key)),
    )
  }

  async #listed(store: Store<Bytes>): Promise<readonly ReadResult<Bytes>[]> {
    const found = new Map<string, ReadResult<Bytes>>()
    for await (const page of store.scan({ prefix: '', pageSize: 10, values: true }, callOptions()))
      for (const { key, entry } of page.entries) found.set(key, entry)
    return keys.map((key) => found.get(key))
  }

  async #write(store: Store<Bytes>, mutations: readonly Mutation<Bytes>[]): Promise<void> {
    const calledAt = this.#witness.called()
    const ofUsers = mutations.filter(({ key }) => isUserKey(key))
    const answered = this.#witness.writing(ofUsers, calledAt)
    let results: readonly WriteResult[]
    try {
      results = await store.write(mutations, this.#callOptions())
    } catch (error) {
      results = mutations.map(() => error as WriteResult)
    }
    answered()
    for (const [i, mutation] of mutations.entries())
      if (isUserKey(mutation.key)) this.#witness.written(mutation, results[i] as WriteResult, calledAt)
  }
}
