import {
  type CallOptions,
  type IncrementMutation,
  type Mutation,
  type SetMutation,
  type TouchMutation,
  toStoreError,
  type Version,
  type WriteResult,
  type Written,
} from '@unikv/core'
import { incremented, knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import { expiryColumn } from '@unikv/core/sql-client'
import type { Backend } from './backend.ts'
import type { Parameter } from './client/bind-message.ts'
import type { Row } from './client/postgres-client.ts'
import type { Match, Sql } from './statements.ts'

/** One mutation by its own statement, conditions and all: the server decides in one step. */
export function mutateOne<V>(
  backend: Backend<V>,
  mutation: Mutation<V>,
  call: CallOptions,
): Promise<WriteResult> {
  try {
    return new One(backend, mutation.key, call)
      .run(mutation)
      .catch((error: unknown) => toStoreError(error, {}))
  } catch (error) {
    return Promise.resolve(toStoreError(error, { code: 'INVALID_VALUE' }))
  }
}

class One<V> {
  readonly #backend: Backend<V>
  readonly #key: Buffer
  readonly #call: CallOptions

  constructor(backend: Backend<V>, key: string, call: CallOptions) {
    this.#backend = backend
    this.#key = Buffer.from(key)
    this.#call = call
  }

  run(mutation: Mutation<V>): Promise<WriteResult> {
    if (mutation.type === 'set') return this.#set(mutation)
    if (mutation.type === 'delete') return this.#delete(mutation)
    return mutation.type === 'touch' ? this.#touch(mutation) : this.#increment(mutation)
  }

  #set(mutation: SetMutation<V>): Promise<WriteResult> {
    const { version, ifVersion, expiresAt, value } = mutation
    const keep = expiresAt === 'keep'
    const expiry = keep ? null : expiryColumn(expiresAt)
    const bytes = this.#backend.form.toBytes(value)
    if (typeof ifVersion === 'string') return this.#replace(mutation, ifVersion, bytes)
    const { statements } = this.#backend
    const row = [versionBytes(version), expiry, bytes]
    return ifVersion === null
      ? this.#insertIfAbsent(row, { version })
      : this.#execute(statements.upsertOne(keep), row).then(() => ({ version }))
  }

  async #replace(
    { version, expiresAt }: SetMutation<V>,
    ifVersion: Version,
    bytes: Uint8Array,
  ): Promise<WriteResult> {
    const keep = expiresAt === 'keep'
    const expiry = keep ? [] : [expiryColumn(expiresAt)]
    const values = [knownVersionBytes(ifVersion), versionBytes(version), bytes, ...expiry]
    const { found, told } = await this.#decide(this.#backend.statements.replace(keep), values)
    return told === null ? conditionFailed(found, ifVersion) : { version }
  }

  async #insertIfAbsent(row: readonly Parameter[], written: Written): Promise<WriteResult> {
    const { found, told } = await this.#decide(this.#backend.statements.insertIfAbsent(), row)
    return told === null ? conditionFailed(found) : written
  }

  #delete({ version, ifVersion }: Mutation<V>): Promise<WriteResult> {
    const { statements } = this.#backend
    if (ifVersion === undefined)
      return this.#execute(statements.deleteOne(), []).then(([row]) => ({
        version,
        existed: row?.[0] === 't',
      }))
    return ifVersion === null ? this.#deleteNothing(version) : this.#deleteVersion(version, ifVersion)
  }

  async #deleteNothing(version: Version): Promise<WriteResult> {
    const found = await this.#version()
    return found === undefined ? { version, existed: false } : conditionFailed(found)
  }

  async #deleteVersion(version: Version, ifVersion: Version): Promise<WriteResult> {
    const values = [knownVersionBytes(ifVersion)]
    const { found, told } = await this.#decide(this.#backend.statements.deleteVersion(), values)
    return told === null ? conditionFailed(found, ifVersion) : { version, existed: true }
  }

  async #touch({ ifVersion, expiresAt }: TouchMutation): Promise<WriteResult> {
    if (ifVersion === null) return conditionFailed(await this.#version())
    const [match, known] = matchOf(ifVersion)
    const values = [known, expiryColumn(expiresAt)]
    const { found, told } = await this.#decide(this.#backend.statements.touch(match), values)
    return told === null ? conditionFailed(found, ifVersion) : { version: told }
  }

  async #increment(mutation: IncrementMutation): Promise<WriteResult> {
    const { by, version, ifVersion, expiresAt } = mutation
    const { statements } = this.#backend
    const first = incremented(undefined, mutation)
    if (typeof first !== 'number' || typeof ifVersion === 'string') return this.#incrementExisting(mutation)
    const expiry = expiryColumn(expiresAt)
    const row = [versionBytes(version), expiry, Buffer.from(String(first))]
    if (ifVersion === null)
      return this.#insertIfAbsent(row, { version, value: first, expiresAt: expiry ?? undefined })
    const {
      told,
      counter,
      expiresAt: kept,
    } = await this.#decide(statements.increment(), [...row, String(by)])
    return told === null ? refusal(counter, mutation) : { version, value: Number(told), expiresAt: kept }
  }

  async #incrementExisting(mutation: IncrementMutation): Promise<WriteResult> {
    const { by, version, ifVersion } = mutation
    if (ifVersion === null) {
      const present = await this.#version()
      return present === undefined ? refusal(undefined, mutation) : conditionFailed(present)
    }
    const [match, known] = matchOf(ifVersion)
    const values = [known, versionBytes(version), String(by)]
    const sql = this.#backend.statements.incrementExisting(match)
    const { found, told, counter, expiresAt } = await this.#decide(sql, values)
    if (told !== null) return { version, value: Number(told), expiresAt }
    if (ifVersion === undefined) return refusal(found === undefined ? undefined : counter, mutation)
    return found === ifVersion ? refusal(counter, mutation) : conditionFailed(found, ifVersion)
  }

  /** The version that the record has now. */
  async #version(): Promise<Version | undefined> {
    const { connections, statements } = this.#backend
    const [found] = await connections.records(statements.readOne('head'), [this.#key], this.#call)
    return found?.version
  }

  async #decide(sql: Sql, values: readonly Parameter[]): Promise<Decision> {
    const [[found = null, told = null, counter = null, expiry = null] = []] = await this.#execute(sql, values)
    return {
      found: found ?? undefined,
      told,
      counter,
      expiresAt: expiry === null ? undefined : Number(expiry),
    }
  }

  #execute(sql: Sql, values: readonly Parameter[]): Promise<readonly Row[]> {
    return this.#backend.connections.execute(sql, [this.#key, ...values], this.#call, true)
  }
}

/** The answer of a statement with a condition. */
interface Decision {
  /** The version of the record at the moment of the statement. */
  readonly found: Version | undefined
  /** The result of the change; `null`: it was not done. */
  readonly told: string | null
  /** The number that the record counts; `null`: it is not a counter. */
  readonly counter: string | null
  /** The expiry of the record after the change. */
  readonly expiresAt: number | undefined
}

/** The version that was expected was found by the look, but not by the change: another writer came between. */
function conditionFailed(found: Version | undefined, expected?: Version): WriteResult {
  return { conditionFailed: true, version: found === expected ? undefined : found }
}

/** Why an increment was refused; where another writer made it possible meanwhile, that it was refused. */
function refusal(counter: string | null | undefined, mutation: IncrementMutation): WriteResult {
  const body = counter === undefined ? undefined : Buffer.from(counter ?? '')
  const result = incremented(body, mutation)
  return typeof result === 'number' ? { conditionFailed: true } : result
}

function matchOf(ifVersion: string | undefined): readonly [Match, Buffer] {
  return ifVersion === undefined ? ['any', Buffer.alloc(0)] : ['version', knownVersionBytes(ifVersion)]
}
