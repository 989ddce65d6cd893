import { type Bytes, type Capabilities, isStoreError, type KeyValue } from '@unikv/core'
import { mulberry32 } from '../schedules/random.ts'
import type { HistoryOperation, Token } from './operation.ts'

/** A KeyValue of a store that declares conditions. */
export type ConditionalKeyValue = KeyValue<string, Bytes, Capabilities & { readonly conditionalWrite: true }>

/** The settings of a recording. */
export interface RecordOptions {
  /** Each has one call under way at a time; they may share a store, or a KeyValue. */
  readonly clients: readonly ConditionalKeyValue[]
  /** Few keys and many clients: that is where they meet. All absent at first. */
  readonly keys: readonly string[]
  /** Operations in the history; calls that say that nothing happened do not count. */
  readonly operations: number
  readonly seed: number
  /** Deadline of each call in milliseconds. @default 1,000 */
  readonly timeoutMs?: number
  /** Level that every call asks for. @default that of the store */
  readonly consistency?: string | undefined
  /** Awaited after the last operation; then every key is read once more, so that what came late is seen. */
  readonly beforeLastReads?: () => Promise<unknown>
}

/** After a call that did not happen, in milliseconds. */
const restMs = 10

/** The record ends with an error when a store does not come back. */
const mostFailures = 20_000

/** A recorded history, and the ends of the calls that are not part of it. */
export interface Recording {
  readonly history: readonly HistoryOperation[]
  /** Calls by how they ended: `applied`, `refused`, `read`, or the code of an error. */
  readonly ends: Readonly<Record<string, number>>
}

/**
 * Let clients read, set, delete, create and compare-and-set the same keys at once, and write down what each saw.
 * Which operations are chosen comes from the seed; how they meet comes from the machine.
 *
 * @throws Error for a value that was never written, or that stands under another version than its own
 */
export async function recordHistory(options: RecordOptions): Promise<Recording> {
  const recorder = new Recorder(options)
  await Promise.all(options.clients.map((client) => recorder.run(client)))
  await options.beforeLastReads?.()
  await recorder.readAll(options.clients[0] as ConditionalKeyValue)
  return { history: recorder.history, ends: recorder.ends }
}

class Recorder {
  readonly history: HistoryOperation[] = []
  readonly ends: Record<string, number> = {}
  readonly #options: RecordOptions
  readonly #random: () => number
  /** The value of each version, as far as it is known; a value tells its version from the second sight on. */
  readonly #values = new Map<Token, string>()
  #moment = 0
  #failures = 0
  #written = 0

  constructor(options: RecordOptions) {
    this.#options = options
    this.#random = mulberry32(options.seed)
  }

  async run(client: ConditionalKeyValue): Promise<void> {
    const known = new Map<string, Token | undefined>()
    while (this.history.length < this.#options.operations) {
      const before = this.history.length
      const key = this.#pick(this.#options.keys)
      const dice = this.#random()
      if (dice < 0.4) await this.#read(client, key, known)
      else if (dice < 0.6) await this.#write(client, key, known, undefined)
      else await this.#write(client, key, known, known.get(key) ?? null)
      await this.#rest(this.history.length > before)
    }
  }

  /** Without a rest, failing clients would starve those that find out whether the store works again. */
  async #rest(recorded: boolean): Promise<void> {
    this.#failures = recorded ? 0 : this.#failures + 1
    if (this.#failures > mostFailures) throw new Error(`${mostFailures} calls in a row failed`)
    await new Promise((done) => (recorded ? setImmediate(done) : setTimeout(done, restMs)))
  }

  /** Read every key, patiently. */
  async readAll(client: ConditionalKeyValue): Promise<void> {
    for (const key of this.#options.keys) await this.#read(client, key, new Map(), 20_000)
  }

  async #read(
    client: ConditionalKeyValue,
    key: string,
    known: Map<string, Token | undefined>,
    timeoutMs: number = this.#timeoutMs,
  ): Promise<void> {
    const { consistency } = this.#options
    const calledAt = this.#now()
    try {
      const entry = await client.getEntry(key, { timeoutMs, consistency })
      if (entry !== undefined) this.#check(entry.version as Token, Buffer.from(entry.value).toString())
      known.set(key, entry?.version)
      this.history.push({ type: 'read', key, calledAt, returnedAt: this.#now(), found: entry?.version })
      this.#end('read')
    } catch (error) {
      this.#end(codeOf(error))
    }
  }

  /** A set, or now and then a delete, under the condition that the key holds `ifToken`. */
  async #write(
    client: ConditionalKeyValue,
    key: string,
    known: Map<string, Token | undefined>,
    ifToken: Token | null | undefined,
  ): Promise<void> {
    const isDelete = this.#random() < 0.2 && ifToken !== null
    const text = `value ${this.#written++}`
    const { consistency } = this.#options
    const settings = {
      timeoutMs: this.#timeoutMs,
      consistency,
      ...(ifToken === undefined ? {} : { ifVersion: ifToken }),
    }
    const calledAt = this.#now()
    const write = { type: 'write', key, calledAt, ifToken } as const
    try {
      const { version } = isDelete
        ? await client.delete(key, settings)
        : await client.set(key, Buffer.from(text), settings)
      const token = isDelete ? undefined : (version as Token)
      if (token !== undefined) this.#check(token, text)
      known.set(key, token)
      this.history.push({ ...write, returnedAt: this.#now(), token, result: 'applied' })
      this.#end('applied')
    } catch (error) {
      const code = codeOf(error)
      this.#end(code)
      const version = isStoreError(error) ? error.version : undefined
      if (code === 'CONDITION_FAILED') {
        known.delete(key)
        const returnedAt = this.#now()
        this.history.push({ ...write, returnedAt, token: undefined, result: 'refused', found: version })
      } else if (code === 'OUTCOME_UNKNOWN') {
        if (version === undefined) throw new Error('OUTCOME_UNKNOWN without the version of its attempt')
        const token = isDelete ? undefined : version
        if (token !== undefined) this.#check(token, text)
        this.history.push({ ...write, returnedAt: Number.POSITIVE_INFINITY, token, result: 'unknown' })
      }
    }
  }

  #check(version: Token, value: string): void {
    const earlier = this.#values.get(version)
    if (earlier === undefined) this.#values.set(version, value)
    else if (earlier !== value) throw new Error(`the version of '${earlier}' stands on '${value}'`)
  }

  #end(how: string): void {
    this.ends[how] = (this.ends[how] ?? 0) + 1
  }

  /** Calls and answers in the order in which this process saw them. */
  #now(): number {
    return this.#moment++
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T
  }

  get #timeoutMs(): number {
    return this.#options.timeoutMs ?? 1_000
  }
}

/** Calls with these codes are not part of a history: they changed nothing, and a later read must not find a change. */
function codeOf(error: unknown): string {
  if (!isStoreError(error)) throw error
  return error.code
}
