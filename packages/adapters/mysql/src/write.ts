import {
  type CallOptions,
  type Mutation,
  type SetMutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { compareKeys, Scratch } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import { padded } from './batches/padded.ts'
import { parts } from './batches/parts.ts'
import type { ChangeResult, Parameter } from './client/mysql-client.ts'
import { mutateOne } from './mutate-one.ts'
import { type RowParameters, rowOf, rowOverheadBytes } from './row.ts'
import { keyParameter, type ValueForm } from './values.ts'

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
  batch.release()
  return batch.results as readonly WriteResult[]
}

/** One mutation of a batch, and where its result goes. */
class Item<V> {
  readonly index: number
  readonly mutation: Mutation<V>

  constructor(index: number, mutation: Mutation<V>) {
    this.index = index
    this.mutation = mutation
  }
}

/** A set with its row: key, version, expiry, value. */
class RowItem<V> extends Item<V> {
  readonly row: RowParameters
  readonly bytes: number

  constructor(index: number, mutation: SetMutation<V>, row: RowParameters) {
    super(index, mutation)
    this.row = row
    this.bytes = row[0].length + row[3].length + rowOverheadBytes
  }
}

class Batch<V> {
  readonly results: (WriteResult | undefined)[] = []
  readonly #backend: Backend<V>
  readonly #call: CallOptions
  readonly #sets: RowItem<V>[] = []
  readonly #keeping: RowItem<V>[] = []
  readonly #deletes: Item<V>[] = []
  readonly #others: Item<V>[] = []
  /** Where the values are while their statements run. */
  readonly #scratch: Scratch
  /** Whether a statement failed: the driver may then still use its values. */
  #failed = false

  constructor(backend: Backend<V>, mutations: readonly Mutation<V>[], call: CallOptions) {
    this.#backend = backend
    this.#call = call
    this.#scratch = new Scratch(scratchBytes(backend.form, mutations))
    for (let i = 0; i < mutations.length; i++) {
      this.results.push(undefined)
      this.#sort(i, mutations[i] as Mutation<V>)
    }
  }

  async run(): Promise<void> {
    const work: Promise<void>[] = []
    for (const part of this.#parts(this.#sets)) work.push(this.#upsert(part, false))
    for (const part of this.#parts(this.#keeping)) work.push(this.#upsert(part, true))
    if (this.#deletes.length > 0) work.push(this.#delete(this.#deletes))
    for (let i = Math.min(lanes, this.#others.length); i > 0; i--) work.push(this.#lane())
    await (work.length === 1 ? work[0] : Promise.all(work))
  }

  /** Once it has run. */
  release(): void {
    if (!this.#failed) this.#scratch.release()
  }

  #sort(index: number, mutation: Mutation<V>): void {
    if (mutation.ifVersion === undefined && mutation.type === 'set') return this.#sortSet(index, mutation)
    const isPlainDelete = mutation.ifVersion === undefined && mutation.type === 'delete'
    if (isPlainDelete) this.#deletes.push(new Item(index, mutation))
    else this.#others.push(new Item(index, mutation))
  }

  #sortSet(index: number, mutation: SetMutation<V>): void {
    try {
      const row = rowOf(this.#backend, keyParameter(mutation.key), mutation, this.#scratch)
      const rows = mutation.expiresAt === 'keep' ? this.#keeping : this.#sets
      rows.push(new RowItem(index, mutation, row))
    } catch (error) {
      this.results[index] = toStoreError(error, { code: 'INVALID_VALUE' })
    }
  }

  #parts(items: RowItem<V>[]): readonly (readonly RowItem<V>[])[] {
    return parts(items.sort(byKey), this.#backend.maxStatementBytes)
  }

  async #upsert(items: readonly RowItem<V>[], keepExpiry: boolean): Promise<void> {
    const values: Parameter[] = []
    for (const { row } of items) values.push(row[0], row[1], row[2], row[3])
    try {
      await this.#execute(this.#backend.statements.upsert(items.length, keepExpiry), values)
      this.#done(items)
    } catch (error) {
      this.#failed = true
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
    const keys = padded(items.map(({ mutation }) => keyParameter(mutation.key)))
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

/** The room that the values of all plain sets need together. */
function scratchBytes<V>(form: ValueForm<V>, mutations: readonly Mutation<V>[]): number {
  let bytes = 0
  for (const mutation of mutations)
    if (mutation.type === 'set' && mutation.ifVersion === undefined)
      bytes += form.scratchBytes(mutation.value)
  return bytes
}

const aboutOneValue: ReadonlySet<string> = new Set(['INVALID_VALUE', 'VALUE_TOO_LARGE'])

/** As their bytes: `compareKeys` decides without making them. */
function byKey<V>(a: Item<V>, b: Item<V>): number {
  return compareKeys(a.mutation.key, b.mutation.key)
}
