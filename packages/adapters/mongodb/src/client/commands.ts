import { type CallOptions, StoreError } from '@unikv/core'
import { attempt, bounded, derive, endOf } from '@unikv/core/adapter'
import type { Abortable, Db, Document, MongoClient, RunCommandOptions } from 'mongodb'
import { isPoolCleared, mongodbError } from '../errors.ts'
import {
  type MongodbDurability,
  type Preference,
  type ReadPreference,
  readingAt,
  writeConcernAt,
} from './consistency.ts'
import { Ending } from './ending.ts'
import { batchOf, isEnd } from './replies.ts'

/** The place that commands go to. */
export interface Target {
  readonly database: Db
  readonly collection: string
  /** The servers, for messages: never a user or a password. */
  readonly where: string
  /** Secrets that messages must not show. */
  readonly secrets: readonly string[]
  readonly durability: MongodbDurability
  readonly readPreference: ReadPreference
  /** Most commands at the same time, with those that wait. */
  readonly limit: number
}

/** The result of a find. */
export interface Found {
  readonly documents: readonly Document[]
  /** The answer was full before all was in it. */
  readonly isPart: boolean
}

/** Answers are taken apart in one way, for any settings of the client. */
export function optionsWith(readPreference: Preference, signal: AbortSignal): RunCommandOptions & Abortable {
  return {
    promoteValues: true,
    promoteLongs: true,
    promoteBuffers: true,
    useBigInt64: false,
    ignoreUndefined: false,
    serializeFunctions: false,
    bsonRegExp: false,
    raw: false,
    readPreference,
    signal,
  }
}

/**
 * Commands to one collection, each within the deadline and the signal of its call. A call that ends early takes its
 * command along: a command that waits is never sent, and the connection of one that was sent is closed, so that a late
 * answer reaches no other call.
 *
 * They are database commands, not the driver's methods on a collection: the driver sends these once in any case.
 */
export class Commands {
  readonly target: Target
  /** A server without a replica set: what it holds is all there is, and it knows no other read concern. */
  isAlone = false
  #running = 0
  /** Signals cost as much to make as all else here: as many as there were commands at once. */
  readonly #endings: Ending[] = []

  constructor(target: Target) {
    this.target = target
  }

  /** Whether commands wait for their answers. */
  get areWaiting(): boolean {
    return this.#running > 0
  }

  /**
   * Connect, unless that is done. The driver connects by itself only once: after a server that was not there yet it takes
   * every command for one on a closed client. A client that its owner has closed stays so.
   */
  async connect(client: MongoClient, call: CallOptions): Promise<void> {
    const { s } = client as { readonly s?: { readonly hasBeenClosed?: boolean } }
    if (s?.hasBeenClosed === true) return
    try {
      await attempt(call, false, () => client.connect())
    } catch (error) {
      throw mongodbError(error, { isWrite: false, sent: false, ...this.target })
    }
  }

  /**
   * Documents of the collection, by an aggregation. An answer that does not hold all of them is not continued: it says so.
   */
  async find(stages: readonly Document[], limit: number, call: CallOptions): Promise<Found> {
    const { collection, durability, readPreference } = this.target
    const { concern, preference } = readingAt(call.consistency, durability, readPreference)
    const readConcern = this.isAlone ? { level: 'local' } : concern
    // One more than there can be: a full batch would leave its cursor open.
    const cursor = { batchSize: limit + 1 }
    const command = { aggregate: collection, pipeline: stages, cursor, readConcern }
    const answer = await this.run(command, call, false, preference)
    const { id, batch } = batchOf(answer, limit + 1, this.target.where)
    const isPart = !isEnd(id)
    if (isPart) await this.#forget(id, call, preference)
    return { documents: batch, isPart }
  }

  /**
   * A command that writes to the collection, such as `update`; it is taken over.
   *
   * @throws {StoreError} `OUTCOME_UNKNOWN` if it was sent and not answered, or not acknowledged as it must be
   */
  write(command: Document, call: CallOptions): Promise<Document> {
    const own = derive(call, { sent: 'part' })
    const writeConcern = writeConcernAt(call.consistency, this.target.durability)
    command['writeConcern'] = { toBSON: () => sentWith(own, writeConcern) }
    return this.run(command, own, true)
  }

  /** Any command to the database. */
  async run(
    command: Document,
    call: CallOptions,
    isWrite: boolean,
    readPreference: Preference = 'primary',
    isAgain = false,
  ): Promise<Document> {
    const { database, limit } = this.target
    if (this.#running >= limit) throw overloaded(limit)
    this.#running++
    const ending = this.#endings.pop() ?? new Ending()
    const { signal } = ending
    try {
      const ask = (): Promise<Document> => database.command(command, optionsWith(readPreference, signal))
      const answer = await bounded(call, isWrite, ask, () => ending.abort())
      // A command that was answered has let go of its signal.
      if (ending.isFree) this.#endings.push(ending)
      return answer
    } catch (error) {
      const sent = call.sent === true
      if (!isAgain && isPoolCleared(error) && !(isWrite && sent))
        return await this.run(command, call, isWrite, readPreference, true)
      throw mongodbError(error, { isWrite, sent, ...this.target })
    } finally {
      this.#running--
    }
  }

  /** If this fails, the server forgets the cursor by itself. */
  async #forget(id: unknown, call: CallOptions, preference: Preference): Promise<void> {
    const command = { killCursors: this.target.collection, cursors: [id] }
    await this.run(command, call, false, preference).catch(() => undefined)
  }
}

/**
 * Asked for by the driver while it writes the command into the buffer for a connection that it has: the last moment for a
 * call that has ended, as its caller may have been told that nothing was sent.
 */
function sentWith(call: CallOptions, writeConcern: Document): Document {
  const refusal = endOf(call, true)
  if (refusal !== undefined) throw refusal
  call.sent = true
  return writeConcern
}

function overloaded(limit: number): StoreError {
  return new StoreError(
    'OVERLOADED',
    `${limit} commands are already running or waiting. Send fewer, or raise maxConnections.`,
  )
}
