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
import { changedOf, countOf, odd } from './client/replies.ts'
import { statementError } from './errors.ts'
import { counterFields, counting, creating, live, liveAt, replacing, touching } from './expressions.ts'
import { isExpiry, type MongodbRecord } from './record.ts'
import { expiryOf, outgoing, putting } from './statements.ts'

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
 * A record may come or go between two steps, and of two upserts that both insert the server refuses one as a whole:
 * https://www.mongodb.com/docs/manual/reference/method/db.collection.update/#upsert-with-duplicate-values
 */
const maxTries = 8
const duplicateKeyCode = 11000

function duplicateKey(error: unknown): undefined {
  const { cause } = error as { readonly cause?: { readonly code?: unknown } }
  if (!isStoreError(error) || cause?.code !== duplicateKeyCode) throw error
}

const conditionFailed: ConditionFailed = Object.freeze({ conditionFailed: true })

function once<V>(
  backend: Backend<V>,
  mutation: Mutation<V>,
  call: CallOptions,
): Promise<WriteResult | undefined> {
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

  async set(mutation: SetMutation<V>): Promise<WriteResult | undefined> {
    const { key, version, ifVersion, expiresAt } = mutation
    const out = outgoing(this.#backend, mutation)
    const keep = expiresAt === 'keep'
    if (ifVersion === null) return this.#create(out.record)
    if (ifVersion === undefined) {
      await this.#change('update', 'updates', putting(out, keep))
      return { version }
    }
    const update = replacing(out.record, String(ifVersion), keep)
    const found = await this.#modify({ query: { _id: key }, update })
    return found?.['version'] === version ? { version } : conditionFailed
  }

  async delete({ key, version, ifVersion }: DeleteMutation): Promise<WriteResult> {
    if (ifVersion === null) return (await this.#exists(key)) ? conditionFailed : { version }
    const q = ifVersion === undefined ? { _id: key } : atVersion(key, ifVersion)
    const deleted = await this.#change('delete', 'deletes', { q, limit: 1 })
    return deleted === 0 && ifVersion !== undefined ? conditionFailed : { version }
  }

  async touch({ key, ifVersion, expiresAt }: TouchMutation): Promise<WriteResult> {
    if (ifVersion === null) return conditionFailed
    const { expiresAt: wanted } = expiryOf(expiresAt)
    const update = touching(wanted, ifVersion === undefined ? undefined : String(ifVersion))
    const fields = { version: 1, expiresAt: 1 }
    const found = await this.#modify({ query: { _id: key }, update, fields })
    // A record without the wanted expiry now was not changed: it is expired, or of another version.
    const isDone =
      found !== undefined &&
      (ifVersion === undefined || found['version'] === ifVersion) &&
      found['expiresAt']?.getTime() === wanted?.getTime()
    return isDone ? { version: found['version'] as string } : conditionFailed
  }

  async increment(mutation: IncrementMutation): Promise<WriteResult | undefined> {
    const { key, version, ifVersion } = mutation
    const query = typeof ifVersion === 'string' ? atVersion(key, ifVersion) : { _id: key }
    const update = counting(mutation, ifVersion === null)
    const found = await this.#modify({ query, update, fields: counterFields })
    if (found === undefined) return typeof ifVersion === 'string' ? conditionFailed : this.#start(mutation)
    if (found['version'] === version) {
      const { value, expiresAt } = found as MongodbRecord
      if (!Number.isSafeInteger(value) || !isExpiry(expiresAt))
        throw odd(this.#backend.commands.target.where, true)
      return { version, value: value as number, expiresAt: expiresAt?.getTime() }
    }
    if (ifVersion === null && (await this.#exists(key))) return failedAt(found)
    return typeof found['value'] === 'number' ? unsafe() : noCounter()
  }

  /** Insert, or take the place of an expired record; `undefined` if that went away meanwhile. */
  async #create(record: MongodbRecord): Promise<WriteResult | undefined> {
    const { _id, version } = record
    if (await this.#insert(record)) return { version }
    const found = await this.#modify({ query: { _id }, update: creating(record) })
    if (found === undefined) return undefined
    return found['version'] === version ? { version } : failedAt(found)
  }

  /** The first number of a counter; `undefined` if another one was sooner. */
  async #start({
    key,
    version,
    initial,
    by,
    expiresAt,
  }: IncrementMutation): Promise<WriteResult | undefined> {
    const value = initial + by
    if (!Number.isSafeInteger(value)) return unsafe()
    const expiry = expiryOf(expiresAt)
    const isNew = await this.#insert({ _id: key, version, ...expiry, value })
    return isNew ? { version, value, expiresAt: expiry.expiresAt?.getTime() } : undefined
  }

  /** Whether there was nothing of that key, not even an expired record. */
  async #insert(record: MongodbRecord): Promise<boolean> {
    const inserted = await this.#change('insert', 'documents', record).catch(duplicateKey)
    return inserted !== undefined
  }

  /** How many records a statement met. */
  async #change(command: string, list: string, statement: object): Promise<number> {
    const { commands } = this.#backend
    const { collection } = commands.target
    const answer = await commands.write({ [command]: collection, [list]: [statement] }, this.#call)
    // Only a delete may have met nothing.
    const least = command === 'delete' ? 0 : 1
    const { count, errors } = countOf(answer, least, 1, commands.target.where)
    const [error] = errors
    if (error !== undefined)
      throw statementError(error.code, { isWrite: true, sent: true, ...commands.target })
    return count
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
    return changedOf(await commands.write(command, this.#call), commands.target.where)
  }

  async #exists(key: string): Promise<boolean> {
    const stages = [...liveAt(key), { $project: { _id: 1 } }]
    const { documents } = await this.#backend.commands.find(stages, 1, this.#call)
    return documents.length > 0
  }
}

/** The live record of a key with this version. */
function atVersion(key: string, version: string): Document {
  return { _id: key, version: { $eq: String(version) }, $expr: live }
}

function failedAt(found: Document | undefined): ConditionFailed {
  const version: unknown = found?.['version']
  return typeof version === 'string' ? { conditionFailed: true, version } : conditionFailed
}

function unsafe(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'The counter would leave the range of safe integers; nothing was changed.',
  )
}

function noCounter(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'The record is not a counter: its value is not a safe integer in decimal.',
  )
}
