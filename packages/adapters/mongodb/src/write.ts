import {
  type CallOptions,
  type Mutation,
  type SetMutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import { inParallel } from '@unikv/core/adapter'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'
import { countOf, type WriteError } from './client/replies.ts'
import { statementError } from './errors.ts'
import { mutateOne } from './mutate-one.ts'
import { type Outgoing, outgoing, parts, putting } from './statements.ts'

/** Mutations of one call that run at the same time, each by its own command. */
const lanes = 8
const duplicateKeyCode = 11000

/** Write keys: unconditional sets and deletes by few commands, the others by one each. */
export async function write<V>(
  backend: Backend<V>,
  mutations: readonly Mutation<V>[],
  call: CallOptions,
): Promise<readonly WriteResult[]> {
  call.sent = false
  const [one] = mutations
  if (one !== undefined && mutations.length === 1) return [await mutateOne(backend, one, call)]
  const batch = new Batch(backend, mutations, call)
  await batch.run()
  return batch.results as readonly WriteResult[]
}

/** A mutation of a batch: where its result goes, and its statement. */
interface Item {
  readonly index: number
  readonly statement: Document
  readonly bytes: number
}

class Batch<V> {
  readonly results: (WriteResult | undefined)[]
  readonly #backend: Backend<V>
  readonly #mutations: readonly Mutation<V>[]
  readonly #call: CallOptions
  readonly #sets: Item[] = []
  readonly #deletes: Item[] = []
  readonly #others: number[] = []

  constructor(backend: Backend<V>, mutations: readonly Mutation<V>[], call: CallOptions) {
    this.results = mutations.map(() => undefined)
    this.#backend = backend
    this.#mutations = mutations
    this.#call = call
    mutations.forEach((mutation, index) => this.#sort(mutation, index))
  }

  async run(): Promise<void> {
    await Promise.all([
      ...parts(this.#sets).map((items) => this.#send('update', 'updates', items)),
      ...parts(this.#deletes).map((items) => this.#send('delete', 'deletes', items)),
      this.#singly(this.#others),
    ])
  }

  #sort(mutation: Mutation<V>, index: number): void {
    const { type, key, ifVersion } = mutation
    if (ifVersion !== undefined || type === 'touch' || type === 'increment') this.#others.push(index)
    else if (type === 'set') this.#sortSet(mutation, index)
    else this.#deletes.push({ index, statement: { q: { _id: key }, limit: 1 }, bytes: key.length * 3 + 64 })
  }

  #sortSet(mutation: SetMutation<V>, index: number): void {
    try {
      const out: Outgoing = outgoing(this.#backend, mutation)
      this.#sets.push({ index, statement: putting(out, mutation.expiresAt === 'keep'), bytes: out.bytes })
    } catch (error) {
      this.results[index] = toStoreError(error, { code: 'INVALID_VALUE' })
    }
  }

  async #singly(indexes: readonly number[]): Promise<void> {
    await inParallel(indexes, lanes, async (index) => {
      this.results[index] = await mutateOne(this.#backend, this.#mutations[index] as Mutation<V>, this.#call)
    })
  }

  /** One command. It is not ordered: what becomes of one statement does not touch the others. */
  async #send(command: string, list: string, items: readonly Item[]): Promise<void> {
    const { commands } = this.#backend
    const statements = items.map(({ statement }) => statement)
    try {
      const whole = { [command]: commands.target.collection, [list]: statements, ordered: false }
      const answer = await commands.write(whole, this.#call)
      const least = command === 'delete' ? 0 : items.length
      const { errors } = countOf(answer, least, items.length, commands.target.where)
      for (const { index } of items) this.results[index] = { version: this.#version(index) }
      await this.#sortOut(errors, items)
    } catch (error) {
      for (const { index } of items) this.results[index] = toStoreError(error, {})
    }
  }

  /** An upsert that lost the race to insert had no effect: it is sent again, by itself. */
  async #sortOut(errors: readonly WriteError[], items: readonly Item[]): Promise<void> {
    const again: number[] = []
    for (const { index: place, code } of errors) {
      const { index } = items[place] as Item
      if (code === duplicateKeyCode) again.push(index)
      else
        this.results[index] = statementError(code, {
          isWrite: true,
          sent: true,
          ...this.#backend.commands.target,
        })
    }
    await this.#singly(again)
  }

  #version(index: number): string {
    return (this.#mutations[index] as Mutation<V>).version
  }
}
