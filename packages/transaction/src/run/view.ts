import { type Entry, isEntry, isStoreError } from '@unikv/core'
import { StoreError } from '@unikv/core/adapter'
import { Attempt, Step } from '../layer/step.ts'
import type { Ending } from '../log/log.ts'
import type { Participant, Parts, Share } from './participant.ts'

/** When a record expires: one of both, or neither. */
export interface TransactionExpiry {
  /** Time to live in milliseconds; `'keep'` keeps the present expiry. @default none */
  readonly ttlMs?: number | 'keep' | undefined
  /** Wall-clock time in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
}

/** One store inside a transaction. Its changes are made when the transaction commits, and seen by its own reads before. */
export interface TransactionView<K, V> {
  /** The value of a key, as committed or as this transaction has changed it. */
  get(key: K): Promise<V | undefined>
  /** The values of keys, in the order of the keys. */
  getMany(keys: readonly K[]): Promise<(V | undefined)[]>
  /** Write a value when the transaction commits. */
  set(key: K, value: V, expiry?: TransactionExpiry): Promise<void>
  /** Remove a record when the transaction commits. A key without one is no error. */
  delete(key: K): Promise<void>
  /** Set what a function makes of the present value; `undefined` leaves it. Resolves to the value afterwards. */
  update(key: K, change: (value: V | undefined) => V | undefined): Promise<V | undefined>
}

/** Thrown inside of a function whose transaction has lost a conflict: it can only run again. */
export class LostConflict extends StoreError {
  constructor(key: string) {
    super('CONDITION_FAILED', 'The record was changed by others while the transaction ran.', { key })
  }
}

/** One attempt at the work of an application. */
export class Work implements Parts {
  readonly attempt: Attempt
  readonly shares: readonly Share[]
  readonly call: Ending
  /** Set when the function has ended: later calls are refused. */
  isOver = false

  constructor(id: string, participants: readonly Participant[], call: Ending) {
    this.attempt = new Attempt(id)
    this.call = call
    this.shares = participants.map((participant) => ({ participant, reads: new Map(), writes: new Map() }))
  }

  /** The views of the stores, by name. */
  views(): Readonly<Record<string, TransactionView<unknown, unknown>>> {
    return Object.fromEntries(this.shares.map((share) => [share.participant.name, new View(this, share)]))
  }
}

class View implements TransactionView<unknown, unknown> {
  readonly #work: Work
  readonly #share: Share

  constructor(work: Work, share: Share) {
    this.#work = work
    this.#share = share
  }

  async get(key: unknown): Promise<unknown> {
    const [value] = await this.getMany([key])
    return value
  }

  async getMany(keys: readonly unknown[]): Promise<unknown[]> {
    this.#refuseOver('getMany')
    const names = keys.map((key) => this.#share.participant.keys.canonical(key))
    const asked = [...new Set(names)].filter((name) => !this.#share.writes.has(name))
    const found = new Map<string, Entry<unknown> | undefined>()
    const results = asked.length === 0 ? [] : await this.#read(asked)
    for (const [i, name] of asked.entries()) found.set(name, this.#seen(name, results[i]))
    return names.map((name) => {
      const own = this.#share.writes.get(name)
      return own === undefined ? found.get(name)?.value : own.type === 'set' ? own.value : undefined
    })
  }

  async set(key: unknown, value: unknown, { ttlMs, expiresAt }: TransactionExpiry = {}): Promise<void> {
    this.#refuseOver('set')
    if (value === undefined)
      throw new StoreError('INVALID_VALUE', 'undefined cannot be stored: use delete, or null as a value.')
    await this.#change({ type: 'set', key: this.#canonical(key), value, ttlMs, expiresAt })
  }

  async delete(key: unknown): Promise<void> {
    this.#refuseOver('delete')
    await this.#change({ type: 'delete', key: this.#canonical(key) })
  }

  async update(key: unknown, change: (value: unknown) => unknown): Promise<unknown> {
    const present = await this.get(key)
    const next = change(present)
    if (next === undefined) return present
    await this.set(key, next, this.#share.participant.keepsExpiry ? { ttlMs: 'keep' } : {})
    return next
  }

  #canonical(key: unknown): string {
    return this.#share.participant.keys.canonical(key)
  }

  async #change(change: Parameters<Participant['mutation']>[0]): Promise<void> {
    this.#share.writes.set(change.key, await this.#share.participant.mutation(change))
  }

  #read(keys: readonly string[]): ReturnType<Participant['read']> {
    const { attempt, call } = this.#work
    return this.#share.participant.read(
      keys.map((key) => ({ key })),
      new Step('read', attempt),
      call,
    )
  }

  /** Remember the version of what was found: the commit looks whether it is still there. */
  #seen(key: string, result: Awaited<ReturnType<Participant['read']>>[number]): Entry<unknown> | undefined {
    if (isStoreError(result)) throw result
    const entry = isEntry(result) ? result : undefined
    const { reads } = this.#share
    if (reads.has(key) && reads.get(key) !== entry?.version) throw new LostConflict(key)
    reads.set(key, entry?.version)
    return entry
  }

  #refuseOver(operation: string): void {
    if (!this.#work.isOver) return
    const message = `${operation}() was called after the function of run() had ended: await each call in it.`
    throw new StoreError('INVALID_ARGUMENT', message)
  }
}
