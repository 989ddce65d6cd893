import {
  type CallOptions,
  type ConditionFailed,
  type IncrementMutation,
  type Mutation,
  type SetMutation,
  StoreError,
  type TouchMutation,
  toStoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import { expiryColumn } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import type { ChangeResult, Parameter } from './client/mysql-client.ts'
import { countedOf, outcomes } from './outcomes.ts'
import type { Row } from './read.ts'
import { rowOf, valueParameter } from './row.ts'
import type { Match } from './statements.ts'
import { keyParameter } from './values.ts'

/** One mutation by its own statement, conditions and all: the server decides in one step. */
export async function mutateOne<V>(
  backend: Backend<V>,
  mutation: Mutation<V>,
  call: CallOptions,
): Promise<WriteResult> {
  try {
    return await new One(backend, keyParameter(mutation.key), call).run(mutation)
  } catch (error) {
    return toStoreError(error, { code: 'INVALID_VALUE' })
  }
}

const conditionFailed: ConditionFailed = Object.freeze({ conditionFailed: true })

class One<V> {
  readonly #backend: Backend<V>
  readonly #key: string | Buffer
  readonly #call: CallOptions

  constructor(backend: Backend<V>, key: string | Buffer, call: CallOptions) {
    this.#backend = backend
    this.#key = key
    this.#call = call
  }

  run(mutation: Mutation<V>): Promise<WriteResult> {
    if (mutation.type === 'set') return this.#set(mutation)
    if (mutation.type === 'delete') return this.#delete(mutation)
    return mutation.type === 'touch' ? this.#touch(mutation) : this.#increment(mutation)
  }

  async #set(mutation: SetMutation<V>): Promise<WriteResult> {
    const { version, ifVersion, expiresAt } = mutation
    const { statements } = this.#backend
    const keep = expiresAt === 'keep'
    if (typeof ifVersion === 'string') {
      const value = valueParameter(this.#backend, this.#key, mutation.value)
      const expiry = keep ? [] : [expiryColumn(expiresAt)]
      const values = [versionBytes(version), value, ...expiry, this.#key, knownVersionBytes(ifVersion)]
      const { affectedRows } = await this.#change(statements.replace(keep), values)
      return affectedRows === 0 ? conditionFailed : { version }
    }
    const row = rowOf(this.#backend, this.#key, mutation)
    if (ifVersion === undefined) {
      await this.#change(statements.upsert(1, keep), row)
      return { version }
    }
    return (await this.#insertIfAbsent(row)) ? { version } : conditionFailed
  }

  async #delete({ version, ifVersion }: Mutation<V>): Promise<WriteResult> {
    const { statements } = this.#backend
    if (ifVersion === undefined) {
      await this.#change(statements.deleteMany(1), [this.#key])
      return { version }
    }
    if (ifVersion === null) return (await this.#exists()) ? conditionFailed : { version }
    const { affectedRows } = await this.#change(statements.deleteVersion(), [
      this.#key,
      knownVersionBytes(ifVersion),
    ])
    return affectedRows === 0 ? conditionFailed : { version }
  }

  async #touch({ ifVersion, expiresAt }: TouchMutation): Promise<WriteResult> {
    if (ifVersion === null) return conditionFailed
    const [match, known] = matchOf(ifVersion)
    const values = [expiryColumn(expiresAt), this.#key, ...known]
    const { insertId } = await this.#change(this.#backend.statements.touch(match), values)
    if (insertId === 0) return conditionFailed
    // An UPDATE brings no columns back; if this read fails, the touch has taken effect all the same.
    return { version: ifVersion ?? (await this.#version().catch(() => undefined)) }
  }

  async #increment(mutation: IncrementMutation): Promise<WriteResult> {
    const { by, initial, version, ifVersion, expiresAt } = mutation
    const first = initial + by
    const expiry = expiryColumn(expiresAt)
    const row = [this.#key, versionBytes(version), expiry, Buffer.from(String(first))]
    const started = { version, value: first, expiresAt: expiry ?? undefined }
    if (ifVersion === null) {
      if (!Number.isSafeInteger(first)) return (await this.#exists()) ? conditionFailed : unsafe()
      return (await this.#insertIfAbsent(row)) ? started : conditionFailed
    }
    if (ifVersion === undefined && Number.isSafeInteger(first)) {
      const summand = String(by)
      const values = [...row, summand, summand, summand, summand, summand]
      const { insertId } = await this.#change(this.#backend.statements.increment(), values)
      const isNew = insertId === 0 || BigInt(insertId) === outcomes.replaced
      return isNew ? started : this.#counted(insertId, version)
    }
    return this.#incrementExisting(mutation)
  }

  async #incrementExisting(mutation: IncrementMutation): Promise<WriteResult> {
    const summand = String(mutation.by)
    const [match, known] = matchOf(mutation.ifVersion ?? undefined)
    const { version } = mutation
    const summands = [summand, summand, summand]
    const values = [...summands, versionBytes(version), summand, summand, this.#key, ...known]
    const { insertId } = await this.#change(this.#backend.statements.incrementExisting(match), values)
    if (insertId !== 0) return this.#counted(insertId, version)
    return match === 'version' ? conditionFailed : unsafe()
  }

  /** The outcome of an increment of a live record. */
  async #counted(insertId: number | string, version: Version): Promise<WriteResult> {
    const outcome = BigInt(insertId)
    if (outcome === outcomes.unsafe) return unsafe()
    if (outcome === outcomes.refused) return noCounter()
    const { value, expiresAt } = countedOf(outcome)
    return { version, value, expiresAt: expiresAt === 'untold' ? await this.#expiry() : expiresAt }
  }

  /**
   * The expiry of a counter after an increment that could not tell it. That of a record that is gone since has passed: it
   * is now.
   */
  async #expiry(): Promise<number | undefined> {
    const { connections, statements } = this.#backend
    const read = connections.execute<readonly Row[]>(statements.readExpiry(), [this.#key], this.#call, false)
    const [row] = await read.catch((cause: unknown) => {
      throw new StoreError('OUTCOME_UNKNOWN', 'The counter was incremented, but its expiry was not read.', {
        cause,
      })
    })
    if (row === undefined) return wallClock()
    return row.expires_at === null ? undefined : Number(row.expires_at)
  }

  async #insertIfAbsent(row: readonly Parameter[]): Promise<boolean> {
    const { insertId } = await this.#change(this.#backend.statements.insertIfAbsent(), row)
    return insertId === 0 || BigInt(insertId) === outcomes.replaced
  }

  async #exists(): Promise<boolean> {
    return (await this.#version()) !== undefined
  }

  /** The version that the record has now. */
  async #version(): Promise<Version | undefined> {
    const { connections, statements } = this.#backend
    const [row] = await connections.execute<readonly Row[]>(
      statements.readOne('head'),
      [this.#key],
      this.#call,
      false,
    )
    return row?.version.toString('hex')
  }

  #change(sql: string, values: readonly Parameter[]): Promise<ChangeResult> {
    return this.#backend.connections.execute(sql, values, this.#call, true)
  }
}

function matchOf(ifVersion: string | undefined): readonly [Match, readonly Buffer[]] {
  return ifVersion === undefined ? ['any', []] : ['version', [knownVersionBytes(ifVersion)]]
}

function noCounter(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'The record is not a counter: its value is not a safe integer in decimal.',
  )
}

function unsafe(): StoreError {
  return new StoreError(
    'INVALID_VALUE',
    'The counter would leave the range of safe integers; nothing was changed.',
  )
}
