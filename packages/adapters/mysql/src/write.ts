import {
  type CallOptions,
  type Mutation,
  type SetMutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import type { Backend } from './backend.ts'
import { mutateOne } from './mutate-one.ts'
import type { ChangeResult, Parameter } from './mysql-client.ts'
import { padded } from './padded.ts'
import { parts } from './parts.ts'
import { type RowParameters, rowOf, rowOverheadBytes } from './row.ts'

/** Mutations of one call that run at the same time, each by its own statement. */
const lanes = 4

/** Write keys: one by its own statement, many by few statements. */
export function write<V>(
  backend: Backend<V>,
  mutations: readonly Mutation<V>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  if (mutations.length > 1) return writeMany(backend, mutations, call)
  return mutateOne(backend, mutations[0] as Mutation<V>, call).then((result) => [result])
}

/**
 * Write many keys: unconditional sets and deletes as few multi-row statements, the others one by one. Rows go in
 * the order of their keys, so that two batches do not wait for each other in a circle.
 */
async function writeMany<V>(
  backend: Backend<V>,
  mutations: readonly Mutation<V>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  const batch = new Batch(backend, mutations, call)
  await batch.run()
  return batch.results as readonly WriteResult[]
}

interface Item<V> {
  readonly index: number
  readonly key: Buffer
  readonly mutation: Mutation<V>
}

/** A set with its row: key, version, expiry, value. */
interface RowItem<V> extends Item<V> {
  readonly row: RowParameters
  readonly bytes: number
}

class Batch<V> {
  readonly results: (WriteResult | undefined)[]
  readonly #backend: Backend<V>
  readonly #call: CallOptions
  readonly #sets: RowItem<V>[] = []
  readonly #keeping: RowItem<V>[] = []
  readonly #deletes: Item<V>[] = []
  readonly #others: Item<V>[] = []

  constructor(backend: Backend<V>, mutations: readonly Mutation<V>[], call: CallOptions) {
    this.#backend = backend
    this.#call = call
    this.results = mutations.map(() => undefined)
    for (const [index, mutation] of mutations.entries())
      this.#sort({ index, mutation, key: Buffer.from(mutation.key) })
  }

  async run(): Promise<void> {
    await Promise.all([
      ...this.#parts(this.#sets).map((part) => this.#upsert(part, false)),
      ...this.#parts(this.#keeping).map((part) => this.#upsert(part, true)),
      ...(this.#deletes.length === 0 ? [] : [this.#delete(this.#deletes)]),
      ...Array.from({ length: Math.min(lanes, this.#others.length) }, () => this.#lane()),
    ])
  }

  #sort(item: Item<V>): void {
    const { mutation } = item
    if (mutation.ifVersion !== undefined) this.#others.push(item)
    else if (mutation.type === 'delete') this.#deletes.push(item)
    else if (mutation.type === 'set') this.#sortSet(item, mutation)
    else this.#others.push(item)
  }

  #sortSet(item: Item<V>, mutation: SetMutation<V>): void {
    try {
      const row = rowOf(this.#backend, item.key, mutation)
      const rows = mutation.expiresAt === 'keep' ? this.#keeping : this.#sets
      rows.push({ ...item, row, bytes: item.key.length + row[3].length + rowOverheadBytes })
    } catch (error) {
      this.results[item.index] = toStoreError(error, { code: 'INVALID_VALUE' })
    }
  }

  #parts(items: RowItem<V>[]): readonly (readonly RowItem<V>[])[] {
    return parts(items.sort(byKey), this.#backend.maxStatementBytes)
  }

  async #upsert(items: readonly RowItem<V>[], keepExpiry: boolean): Promise<void> {
    const sql = this.#backend.statements.upsert(items.length, keepExpiry)
    try {
      await this.#execute(
        sql,
        items.flatMap(({ row }) => row),
      )
      this.#done(items)
    } catch (error) {
      const failure = toStoreError(error, {})
      // One row spoils the statement: find out which.
      if (items.length > 1 && aboutOneValue.has(failure.code)) await this.#upsertEach(items, keepExpiry)
      else for (const { index } of items) this.results[index] = failure
    }
  }

  async #upsertEach(items: readonly RowItem<V>[], keepExpiry: boolean): Promise<void> {
    for (const item of new Set(items)) await this.#upsert([item], keepExpiry)
  }

  async #delete(items: Item<V>[]): Promise<void> {
    items.sort(byKey)
    const keys = padded(items.map(({ key }) => key))
    try {
      await this.#execute(this.#backend.statements.deleteMany(keys.length), keys)
      this.#done(items)
    } catch (error) {
      for (const { index } of items) this.results[index] = toStoreError(error, {})
    }
  }

  async #lane(): Promise<void> {
    for (let item = this.#others.shift(); item !== undefined; item = this.#others.shift()) {
      this.results[item.index] = await mutateOne(this.#backend, item.mutation, this.#call)
    }
  }

  #execute(sql: string, values: readonly Parameter[]): Promise<ChangeResult> {
    return this.#backend.connections.execute(sql, values, this.#call, true)
  }

  #done(items: readonly Item<V>[]): void {
    for (const { index, mutation } of items) this.results[index] = { version: mutation.version }
  }
}

const aboutOneValue: ReadonlySet<string> = new Set(['INVALID_VALUE', 'VALUE_TOO_LARGE'])

function byKey<V>(a: Item<V>, b: Item<V>): number {
  return Buffer.compare(a.key, b.key)
}
