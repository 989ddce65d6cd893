import {
  type CallOptions,
  type Mutation,
  type SetMutation,
  type StoreError,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { compareKeys, inParallel, versionBytes } from '@unikv/core/adapter'
import { expiryColumn } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import { byteaArray, int8Array, textArray } from './client/arrays.ts'
import type { Parameter } from './client/bind-message.ts'
import { mutateOne } from './mutate-one.ts'

/** Mutations of one call that run at the same time, each by its own statement. */
const lanes = 4

/** Write keys: one by its own statement, many by few statements. */
export function write<V>(
  backend: Backend<V>,
  mutations: readonly Mutation<V>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  if (mutations.length > 1) return new Batch(backend, mutations, call).run()
  return mutateOne(backend, mutations[0] as Mutation<V>, call).then((result) => [result])
}

/** One mutation of a batch, and where its result goes. */
interface Item<V, M extends Mutation<V> = Mutation<V>> {
  readonly index: number
  readonly mutation: M
}

/** A set with the bytes of its value. */
interface SetItem<V> extends Item<V, SetMutation<V>> {
  readonly bytes: Uint8Array
}

/**
 * Many mutations: unconditional sets and deletes as few statements of many rows, the others one by one. Rows go in
 * the order of their keys, so that two batches do not wait for each other in a circle.
 */
class Batch<V> {
  readonly #results: WriteResult[] = []
  readonly #backend: Backend<V>
  readonly #call: CallOptions
  readonly #sets: SetItem<V>[] = []
  readonly #keeping: SetItem<V>[] = []
  readonly #deletes: Item<V>[] = []
  readonly #others: Item<V>[] = []

  constructor(backend: Backend<V>, mutations: readonly Mutation<V>[], call: CallOptions) {
    this.#backend = backend
    this.#call = call
    for (const [index, mutation] of mutations.entries()) this.#sort(index, mutation)
  }

  async run(): Promise<readonly WriteResult[]> {
    const work: Promise<unknown>[] = []
    if (this.#sets.length > 0) work.push(this.#upsert(this.#sets.sort(byKey), false))
    if (this.#keeping.length > 0) work.push(this.#upsert(this.#keeping.sort(byKey), true))
    if (this.#deletes.length > 0) work.push(this.#delete(this.#deletes.sort(byKey)))
    if (this.#others.length > 0) work.push(inParallel(this.#others, lanes, (item) => this.#one(item)))
    await (work.length === 1 ? work[0] : Promise.all(work))
    return this.#results
  }

  #sort(index: number, mutation: Mutation<V>): void {
    const isPlain = mutation.ifVersion === undefined
    if (isPlain && mutation.type === 'delete') this.#deletes.push({ index, mutation })
    else if (isPlain && mutation.type === 'set') this.#sortSet(index, mutation)
    else this.#others.push({ index, mutation })
  }

  #sortSet(index: number, mutation: SetMutation<V>): void {
    try {
      const items = mutation.expiresAt === 'keep' ? this.#keeping : this.#sets
      items.push({ index, mutation, bytes: this.#backend.form.toBytes(mutation.value) })
    } catch (error) {
      this.#results[index] = toStoreError(error, { code: 'INVALID_VALUE' })
    }
  }

  async #upsert(items: readonly SetItem<V>[], keepExpiry: boolean): Promise<void> {
    const { connections, statements } = this.#backend
    try {
      await connections.execute(statements.upsertMany(keepExpiry), this.#rows(items), this.#call, true)
      this.#done(items)
    } catch (error) {
      const failure = toStoreError(error, {})
      // One row spoils the statement, which was rolled back: find out which.
      if (items.length > 1 && aboutOneValue.has(failure.code))
        await inParallel(items, lanes, (item) => this.#upsert([item], keepExpiry))
      else this.#failed(items, failure)
    }
  }

  async #delete(items: readonly Item<V>[]): Promise<void> {
    const { connections, statements } = this.#backend
    const keys = byteaArray(items.map(({ mutation }) => Buffer.from(mutation.key)))
    try {
      const rows = await connections.execute(statements.deleteMany(), [keys], this.#call, true)
      const live = new Set(rows.map(([key]) => key))
      for (const { index, mutation } of items) {
        const existed = live.has(Buffer.from(mutation.key).toString('hex'))
        this.#results[index] = { version: mutation.version, existed }
      }
    } catch (error) {
      this.#failed(items, toStoreError(error, {}))
    }
  }

  async #one({ index, mutation }: Item<V>): Promise<void> {
    this.#results[index] = await mutateOne(this.#backend, mutation, this.#call)
  }

  #rows(items: readonly SetItem<V>[]): Parameter[] {
    const values = items.map(({ bytes }) => bytes)
    return [
      byteaArray(items.map(({ mutation }) => Buffer.from(mutation.key))),
      byteaArray(items.map(({ mutation }) => versionBytes(mutation.version))),
      int8Array(items.map(({ mutation: { expiresAt } }) => expiryOf(expiresAt))),
      this.#backend.form.documents ? textArray(values) : byteaArray(values),
    ]
  }

  #done(items: readonly Item<V>[]): void {
    for (const { index, mutation } of items) this.#results[index] = { version: mutation.version }
  }

  #failed(items: readonly Item<V>[], failure: StoreError): void {
    for (const { index } of items) this.#results[index] = failure
  }
}

const aboutOneValue: ReadonlySet<string> = new Set(['INVALID_VALUE', 'VALUE_TOO_LARGE'])

function expiryOf(expiresAt: SetMutation<unknown>['expiresAt']): number | null {
  return expiresAt === 'keep' ? null : expiryColumn(expiresAt)
}

/** As their bytes: `compareKeys` decides without making them. */
function byKey<V>(a: Item<V>, b: Item<V>): number {
  return compareKeys(a.mutation.key, b.mutation.key)
}
