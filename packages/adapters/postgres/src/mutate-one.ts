import {
  type CallOptions,
  type IncrementMutation,
  type Mutation,
  type SetMutation,
  type TouchMutation,
  toStoreError,
  type Version,
  type WriteResult,
} from '@unikv/core'
import { incremented, knownVersionBytes, versionBytes } from '@unikv/core/adapter'
import type { Backend } from './backend.ts'
import type { Row } from './connections.ts'
import type { PostgresParameter } from './postgres-client.ts'
import type { Match, Sql } from './statements.ts'
import { expiryColumn } from './values.ts'

/** One mutation by its own statement, conditions and all: the server decides in one step. */
export async function mutateOne<V>(
  backend: Backend<V>,
  mutation: Mutation<V>,
  call: CallOptions,
): Promise<WriteResult> {
  try {
    return await new One(backend, Buffer.from(mutation.key), call).run(mutation)
  } catch (error) {
    return toStoreError(error, { code: 'INVALID_VALUE' })
  }
}

class One<V> {
  readonly #backend: Backend<V>
  readonly #key: Buffer
  readonly #call: CallOptions

  constructor(backend: Backend<V>, key: Buffer, call: CallOptions) {
    this.#backend = backend
    this.#key = key
    this.#call = call
  }

  run(mutation: Mutation<V>): Promise<WriteResult> {
    if (mutation.type === 'set') return this.#set(mutation)
    if (mutation.type === 'delete') return this.#delete(mutation)
    return mutation.type === 'touch' ? this.#touch(mutation) : this.#increment(mutation)
  }

  async #set({ version, ifVersion, expiresAt, value }: SetMutation<V>): Promise<WriteResult> {
    const { statements } = this.#backend
    const keep = expiresAt === 'keep'
    const expiry = keep ? null : expiryColumn(expiresAt)
    const bound = this.#bound(value)
    if (typeof ifVersion === 'string') {
      const values = [knownVersionBytes(ifVersion), versionBytes(version), bound, ...(keep ? [] : [expiry])]
      const { found, told } = await this.#decide(statements.replace(keep), values)
      return told === null ? conditionFailed(found, ifVersion) : { version }
    }
    const row = [versionBytes(version), expiry, bound]
    if (ifVersion === undefined) {
      await this.#execute(statements.upsertOne(keep), row)
      return { version }
    }
    const { found, told } = await this.#decide(statements.insertIfAbsent(), row)
    return told === null ? conditionFailed(found) : { version }
  }

  async #delete({ version, ifVersion }: Mutation<V>): Promise<WriteResult> {
    const { statements } = this.#backend
    if (ifVersion === undefined) {
      await this.#execute(statements.deleteOne(), [])
      return { version }
    }
    if (ifVersion === null) {
      const found = await this.#version()
      return found === undefined ? { version } : conditionFailed(found)
    }
    const { found, told } = await this.#decide(statements.deleteVersion(), [knownVersionBytes(ifVersion)])
    return told === null ? conditionFailed(found, ifVersion) : { version }
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
    const row = [versionBytes(version), expiryColumn(expiresAt), this.#decimal(first)]
    if (ifVersion === null) {
      const { found, told } = await this.#decide(statements.insertIfAbsent(), row)
      return told === null ? conditionFailed(found) : { version, value: first }
    }
    const { told, counter } = await this.#decide(statements.increment(), [...row, String(by)])
    return told === null ? refusal(counter, mutation) : { version, value: Number(told) }
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
    const { found, told, counter } = await this.#decide(sql, values)
    if (told !== null) return { version, value: Number(told) }
    if (ifVersion === undefined) return refusal(found === undefined ? undefined : counter, mutation)
    return found === ifVersion ? refusal(counter, mutation) : conditionFailed(found, ifVersion)
  }

  /** The version that the record has now. */
  async #version(): Promise<Version | undefined> {
    const { connections, statements } = this.#backend
    const [row] = await connections.execute(statements.readOne('head'), [this.#key], this.#call, false)
    return row?.[0] as string | undefined
  }

  #bound(value: V): PostgresParameter {
    const { form } = this.#backend
    const bytes = form.toBytes(value)
    return form.documents ? bytes.toString() : bytes
  }

  #decimal(number: number): PostgresParameter {
    return this.#backend.form.documents ? String(number) : Buffer.from(String(number))
  }

  async #decide(sql: Sql, values: readonly PostgresParameter[]): Promise<Decision> {
    const [[found = null, told = null, counter = null] = []] = await this.#execute(sql, values)
    return { found: found ?? undefined, told, counter }
  }

  #execute(sql: Sql, values: readonly PostgresParameter[]): Promise<readonly Row[]> {
    return this.#backend.connections.execute(sql, [this.#key, ...values], this.#call, true)
  }
}

/** What a statement with a condition answers. */
interface Decision {
  /** The version of the record at the moment of the statement. */
  readonly found: Version | undefined
  /** What the change tells; `null`: it was not done. */
  readonly told: string | null
  /** The number that the record counts; `null`: it is no counter. */
  readonly counter: string | null
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
