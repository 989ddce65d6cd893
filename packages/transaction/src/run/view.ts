import {
  type Entry,
  isEntry,
  isPromise,
  isStoreError,
  type KeyPrefix,
  type Mutation,
  type ReadResult,
} from '@unikv/core'
import { checkOptions, heard, type OptionNames, StoreError } from '@unikv/core/adapter'
import { Attempt, Step } from '../layer/step.ts'
import type { Ending } from '../log/log.ts'
import type { Branch } from '../sql/branch.ts'
import { ownBytes, type Participant, type Parts, type Share } from './participant.ts'
import type { Turn } from './queue.ts'
import { isInRange, list, listingOf, withOwn } from './scan.ts'

/** When a record expires: one of both, or neither. */
export interface TransactionExpiry {
  /** Time to live in milliseconds; `'keep'` keeps the present expiry. @default none */
  readonly ttlMs?: number | 'keep' | undefined
  /** Wall-clock time in milliseconds since 1970. */
  readonly expiresAt?: number | undefined
}

/** Which records a transaction lists. Bounds and `reverse` need a store that lists in order. */
export interface TransactionScan<K> {
  readonly prefix?: KeyPrefix<K> | undefined
  readonly gt?: K | undefined
  readonly gte?: K | undefined
  readonly lt?: K | undefined
  readonly lte?: K | undefined
  /** From the last key to the first. */
  readonly reverse?: boolean | undefined
  /** Most records. @default all */
  readonly limit?: number | undefined
}

const scanNames: OptionNames<TransactionScan<unknown>> = {
  prefix: true,
  gt: true,
  gte: true,
  lt: true,
  lte: true,
  reverse: true,
  limit: true,
}

const expiryNames: OptionNames<TransactionExpiry> = { ttlMs: true, expiresAt: true }

/** One store inside a transaction. Its changes are made when the transaction commits, and seen by its own reads before. */
export interface TransactionView<K, V> {
  /** The value of a key, as committed or as this transaction has changed it. */
  get(key: K): Promise<V | undefined>
  /** The values of keys, in the order of the keys. */
  getMany(keys: readonly K[]): Promise<(V | undefined)[]>
  /** Write a value when the transaction commits. */
  set(key: K, value: V, expiry?: TransactionExpiry): Promise<void>
  /** Remove a record when the transaction commits. A key without one is not an error. */
  delete(key: K): Promise<void>
  /** Keys and values in the order of the store, all at once: as committed, with the changes of this transaction. */
  scan(options?: TransactionScan<K>): Promise<(readonly [K, V])[]>
  /** Set what a function makes of the present value; `undefined` leaves it. Resolves to the value afterwards. */
  update(key: K, change: (value: V | undefined) => V | undefined): Promise<V | undefined>
}

/** Thrown inside of a function whose transaction has lost a conflict: it can only run again. */
class LostConflict extends StoreError {
  constructor(key: string) {
    super('CONDITION_FAILED', 'The record was changed by others while the transaction ran.', { key })
  }
}

/** Does something before and after a commit. */
export type Around = <T>(commit: () => Promise<T>) => Promise<T>

/** One attempt at the work of an application. */
export class Work implements Parts {
  readonly attempt: Attempt
  readonly shares: readonly Share[]
  /** Transactions of databases, none begun. */
  branches: readonly Branch[] = []
  readonly call: Ending
  readonly turn: Turn
  readonly later: Parts['later']
  /** Two reads of a record found two versions: it cannot commit, also if its function takes no notice. */
  isLost = false
  #isOver = false
  #underWay = 0
  #commits: Around[] = []
  #messages = 0

  constructor(
    id: string,
    participants: readonly Participant[],
    call: Ending,
    turn: Turn,
    later: Parts['later'],
  ) {
    this.attempt = new Attempt(id)
    this.call = call
    this.turn = turn
    this.later = later
    this.shares = participants.map((participant) => ({
      participant,
      reads: new Map(),
      writes: new Map(),
      listings: [],
    }))
  }

  /** The function has ended: later calls are refused. */
  close(): void {
    this.#isOver = true
  }

  /** Roll back transactions of databases that did not end. It never fails. */
  async leave(): Promise<void> {
    await Promise.all(this.branches.map((branch) => branch.end()))
  }

  /** @throws {StoreError} `INVALID_ARGUMENT` if the function did not wait for its calls */
  end(): void {
    if (this.#underWay === 0) return
    const message =
      'The function of run() ended while its calls were under way; nothing was changed. Await each of them.'
    throw new StoreError('INVALID_ARGUMENT', message, { operation: 'run' })
  }

  /** Do what a call asks for, which the function must wait for. */
  async during<T>(operation: string, work: () => Promise<T>): Promise<T> {
    if (this.#isOver) {
      const message = `${operation}() was called after the function of run() had ended: await each call in it.`
      throw new StoreError('INVALID_ARGUMENT', message)
    }
    this.#underWay++
    try {
      return await work()
    } finally {
      this.#underWay--
    }
  }

  /** An id for a message: no other one of this transaction has it, in any outbox. */
  messageId(): string {
    return `${this.attempt.id}-${this.#messages++}`
  }

  /** Have the commit made by another function, which is given the commit. */
  around(commits: Around): void {
    this.#commits.push(commits)
  }

  /** Commit inside of all that is around it. */
  committed<T>(commit: () => Promise<T>): Promise<T> {
    return this.#commits.reduce<() => Promise<T>>((inner, outer) => () => outer(inner), commit)()
  }

  /** The views of the stores, by name. */
  views(): Readonly<Record<string, unknown>> {
    const during: Work['during'] = (operation, work) => this.during(operation, work)
    return Object.fromEntries([
      ...this.shares.map((share) => [share.participant.name, new View(this, share)] as const),
      ...this.branches.map((branch) => [branch.name, branch.view(during)] as const),
    ])
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

  getMany(keys: readonly unknown[]): Promise<unknown[]> {
    return this.#work.during('getMany', async () => {
      const names = keys.map((key) => this.#canonical(key))
      const asked = [...new Set(names)].filter((name) => !this.#share.writes.has(name))
      const found = await readFor(this.#work, this.#share, asked)
      const values = names.map(async (name) => {
        const own = this.#share.writes.get(name)
        return own === undefined ? ownBytes(found.get(name)?.value) : this.#share.participant.valueOf(own)
      })
      return Promise.all(values)
    })
  }

  scan(options: TransactionScan<unknown> = {}): Promise<(readonly [unknown, unknown])[]> {
    return this.#work.during('scan', async () => {
      checkOptions('scan', options, scanNames, 'INVALID_ARGUMENT')
      const range = this.#share.participant.keys.range(options)
      const { attempt, call } = this.#work
      const changes = [...this.#share.writes.values()].filter(({ key }) => isInRange(key, range))
      const own = await Promise.all(changes.map((change) => this.#own(change)))
      const most = this.#mostOf(options.limit, own.filter(({ type }) => type === 'delete').length)
      const listed = await list(this.#share, range, most, new Step('list', attempt), call)
      for (const { key, entry } of listed) seen(this.#work, this.#share, key, entry)
      const isCut = listed.length === most
      this.#share.listings.push(listingOf(range, listed, isCut))
      return withOwn(listed, own, { range, isCut })
        .slice(0, options.limit)
        .flatMap(([canonical, value]) => {
          const key = this.#share.participant.keys.keyOf(canonical)
          return key === undefined ? [] : [[key, ownBytes(value)] as const]
        })
    })
  }

  /** How many records to ask for: what this transaction has deleted is left out. A store without order has no first ones. */
  #mostOf(limit: number | undefined, deleted: number): number {
    return limit !== undefined && this.#share.participant.isOrdered
      ? limit + deleted
      : Number.POSITIVE_INFINITY
  }

  set(key: unknown, value: unknown, expiry: TransactionExpiry = {}): Promise<void> {
    return this.#work.during('set', async () => {
      checkOptions('set', expiry, expiryNames, 'INVALID_ARGUMENT')
      if (value === undefined)
        throw new StoreError('INVALID_VALUE', 'undefined cannot be stored: use delete, or null as a value.')
      const name = this.#canonical(key)
      await this.#change({ type: 'set', key: name, value, ...this.#kept(name, expiry) })
    })
  }

  delete(key: unknown): Promise<void> {
    return this.#work.during('delete', () => this.#change({ type: 'delete', key: this.#canonical(key) }))
  }

  update(key: unknown, change: (value: unknown) => unknown): Promise<unknown> {
    return this.#work.during('update', async () => {
      const present = await this.get(key)
      const next = change(present)
      if (isPromise(next)) {
        void heard(next)
        const message = 'The function of update() must not be async: await before the call.'
        throw new StoreError('INVALID_ARGUMENT', message, { operation: 'update' })
      }
      if (next === undefined) return present
      await this.set(key, next, this.#share.participant.keepsExpiry ? { ttlMs: 'keep' } : {})
      return next
    })
  }

  /** The present expiry of a key that this transaction has changed is that of its change. */
  #kept(name: string, { ttlMs, expiresAt }: TransactionExpiry): TransactionExpiry {
    const own = this.#share.writes.get(name)
    if (ttlMs !== 'keep' || expiresAt !== undefined || own === undefined) return { ttlMs, expiresAt }
    if (own.type !== 'set') return {}
    return own.expiresAt === 'keep' ? { ttlMs } : { expiresAt: own.expiresAt }
  }

  /** The change, with a value that is its reader's. */
  async #own(change: Mutation<unknown>): Promise<Mutation<unknown>> {
    return change.type === 'set'
      ? { ...change, value: await this.#share.participant.valueOf(change) }
      : change
  }

  #canonical(key: unknown): string {
    return this.#share.participant.keys.canonical(key)
  }

  async #change(change: Parameters<Participant['mutation']>[0]): Promise<void> {
    this.#share.writes.set(change.key, await this.#share.participant.mutation(change))
  }
}

/** Read records for an attempt, and remember the versions that were found: its commit looks whether they are still there. */
export async function readFor(
  work: Work,
  share: Share,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Entry<unknown> | undefined>> {
  if (keys.length === 0) return new Map()
  const { attempt, call, turn } = work
  await turn.before(share.participant.name, keys)
  const results = await share.participant.read(
    keys.map((key) => ({ key })),
    new Step('read', attempt),
    call,
  )
  return new Map(keys.map((key, i) => [key, seen(work, share, key, results[i])]))
}

function seen(
  work: Work,
  { participant, reads }: Share,
  key: string,
  result: ReadResult<unknown>,
): Entry<unknown> | undefined {
  if (isStoreError(result)) throw result
  const entry = isEntry(result) ? result : undefined
  if (reads.has(key) && reads.get(key) !== entry?.version) {
    work.attempt.lostIn = participant.name
    work.isLost = true
    throw new LostConflict(key)
  }
  reads.set(key, entry?.version)
  return entry
}
