import {
  type CallOptions,
  type ConditionFailed,
  type DeleteMutation,
  type IncrementMutation,
  isStoreError,
  type Mutation,
  type SetMutation,
  StoreError,
  type TouchMutation,
  toStoreError,
  type WriteResult,
} from '@unikv/core'
import type { Document } from 'mongodb'
import type { Backend } from './backend.ts'
import { counting, creating, keeping, live, versionAndNumber } from './expressions.ts'
import { statementError } from './mongodb-errors.ts'
import { outgoing, putting } from './statements.ts'

/** One mutation by a command of its own, conditions and all: the server decides in one step. */
export async function mutateOne<V>(
  backend: Backend<V>,
  mutation: Mutation<V>,
  call: CallOptions,
): Promise<WriteResult> {
  try {
    for (let tries = 1; ; tries++) {
      const result = await once(backend, mutation, call).catch(duplicateKey)
      if (result !== undefined) return result
      if (tries === maxTries)
        return statementError(112, { isWrite: true, sent: true, ...backend.commands.target })
    }
  } catch (error) {
    return toStoreError(error, { code: 'INVALID_VALUE' })
  }
}

/**
 * Two upserts of a missing key may both insert; the server then refuses one of them as a whole, so that it may be sent
 * again: https://www.mongodb.com/docs/manual/reference/method/db.collection.update/#upsert-with-duplicate-values
 */
const maxTries = 8
const duplicateKeyCode = 11000

function duplicateKey(error: unknown): undefined {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  if (!isStoreError(error) || cause?.code !== duplicateKeyCode) throw error
}

const conditionFailed: ConditionFailed = Object.freeze({ conditionFailed: true })

function once<V>(backend: Backend<V>, mutation: Mutation<V>, call: CallOptions): Promise<WriteResult> {
  const one = new One(backend, call)
  if (mutation.type === 'set') return one.set(mutation)
  if (mutation.type === 'delete') return one.delete(mutation)
  return mutation.type === 'touch' ? one.touch(mutation) : one.increment(mutation)
}

class One<V> {
  readonly #backend: Backend<V>
  readonly #call: CallOptions

  constructor(backend: Backend<V>, call: CallOptions) {
    this.#backend = backend
    this.#call = call
  }

  async set(mutation: SetMutation<V>): Promise<WriteResult> {
    const { key, version, ifVersion, expiresAt } = mutation
    const out = outgoing(this.#backend, mutation)
    const keep = expiresAt === 'keep'
    if (ifVersion === null) {
      const found = await this.#modify({ query: { _id: key }, update: creating(out.record), upsert: true })
      return found?.['version'] === version ? { version } : failedAt(found)
    }
    if (ifVersion === undefined) {
      await this.#change('update', 'updates', putting(out, keep))
      return { version }
    }
    const u = keep ? keeping(out.record) : out.record
    const changed = await this.#change('update', 'updates', { q: atVersion(key, ifVersion), u })
    return changed === 0 ? conditionFailed : { version }
  }

  async delete({ key, version, ifVersion }: DeleteMutation): Promise<WriteResult> {
    if (ifVersion === null) return (await this.#exists(key)) ? conditionFailed : { version }
    const q = ifVersion === undefined ? { _id: key } : atVersion(key, ifVersion)
    const deleted = await this.#change('delete', 'deletes', { q, limit: 1 })
    return deleted === 0 && ifVersion !== undefined ? conditionFailed : { version }
  }

  async touch({ key, ifVersion, expiresAt }: TouchMutation): Promise<WriteResult> {
    if (ifVersion === null) return conditionFailed
    const update =
      expiresAt === undefined
        ? { $unset: { expiresAt: 1 } }
        : { $set: { expiresAt: new Date(Math.floor(expiresAt)) } }
    const found = await this.#modify({ query: atVersion(key, ifVersion), update })
    return found === undefined ? conditionFailed : { version: found['version'] as string }
  }

  async increment(mutation: IncrementMutation): Promise<WriteResult> {
    const { key, version, ifVersion, initial, by } = mutation
    const startsSafe = Number.isSafeInteger(initial + by)
    const query = typeof ifVersion === 'string' ? atVersion(key, ifVersion) : { _id: key }
    const upsert = typeof ifVersion !== 'string' && startsSafe
    const update = counting(mutation, ifVersion === null)
    const found = await this.#modify({ query, update, upsert, fields: versionAndNumber })
    if (found?.['version'] === version) return { version, value: found['value'] as number }
    if (ifVersion === null && (await this.#exists(key))) return failedAt(found)
    if (found === undefined) return typeof ifVersion === 'string' ? conditionFailed : unsafe()
    return typeof found['value'] === 'number' ? unsafe() : noCounter()
  }

  /** How many records a statement met. */
  async #change(command: string, list: string, statement: Document): Promise<number> {
    const { commands } = this.#backend
    const { collection } = commands.target
    const { n, writeErrors } = await commands.write(
      { [command]: collection, [list]: [statement] },
      this.#call,
    )
    const [error] = (writeErrors ?? []) as readonly { readonly code: number }[]
    if (error !== undefined)
      throw statementError(error.code, { isWrite: true, sent: true, ...commands.target })
    return Number(n)
  }

  /** The version of the record after a change. */
  async #modify(change: Document): Promise<Document | undefined> {
    const { commands } = this.#backend
    const command = {
      findAndModify: commands.target.collection,
      fields: { version: 1 },
      new: true,
      ...change,
    }
    const { value } = await commands.write(command, this.#call)
    return value ?? undefined
  }

  async #exists(key: string): Promise<boolean> {
    const query = { filter: { _id: { $eq: key }, $expr: live }, projection: { _id: 1 }, limit: 1 }
    const { documents } = await this.#backend.commands.find(query, this.#call)
    return documents.length > 0
  }
}

/** The live record of a key with this version; any version without one. */
function atVersion(key: string, version: string | undefined): Document {
  const same = version === undefined ? {} : { version: { $eq: String(version) } }
  return { _id: key, ...same, $expr: live }
}

function failedAt(found: Document | undefined): ConditionFailed {
  const version: unknown = found?.['version']
  return typeof version === 'string' ? { conditionFailed: true, version } : conditionFailed
}

function unsafe(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'The counter would leave the range of safe integers; it was not changed.',
  )
}

function noCounter(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'The record is no counter: its value is not the decimal text of a safe integer.',
  )
}
