import { isUtf8 } from 'node:buffer'
import {
  type Bytes,
  isEntry,
  isStoreError,
  newVersion,
  type Read,
  type ReadResult,
  type ScanEntry,
  type ScanRange,
} from '@unikv/core'
import { callBuffer, type RedisConnection } from './client/redis-client.ts'
import { bulk, drop, listOf, textOf, UnexpectedReply } from './client/replies.ts'
import { translate } from './errors.ts'
import type { Layout, Shard } from './layout.ts'
import { atEnd, type Position, writePosition } from './scan-position.ts'

/** Place and order of a walk. */
export interface ScanSource {
  /** Prefix of every key. */
  readonly prefix: string
  /** Keys of this dataset hold a record header; others are not its own. */
  readonly header: boolean
  readonly layout: () => Promise<Layout>
  /** Resolves when commands can be sent to a shard. */
  readonly ready: (connection: RedisConnection) => Promise<void>
  readonly read: (reads: readonly Read[]) => Promise<readonly ReadResult<Bytes>[]>
}

const smallestCount = 10
const largestCount = 1_000
/** A page is given out, even empty, after so many round trips: its caller has a deadline. */
const mostRounds = 16

/** The way through the keys of one shard. */
export class Walk {
  readonly #source: ScanSource
  readonly #range: ScanRange
  readonly #shard: Shard
  readonly #layout: string
  readonly #pattern: string
  readonly #pending: Set<string>
  #run: string | undefined
  #checked = false
  #cursor: string
  #count: number

  constructor(
    source: ScanSource,
    range: ScanRange,
    shard: Shard,
    layout: string,
    start: Position | undefined,
  ) {
    this.#source = source
    this.#range = range
    this.#shard = shard
    this.#layout = layout
    this.#pattern = `${escapeGlob(source.prefix + range.prefix)}*`
    this.#pending = new Set(start?.pending)
    this.#run = start?.run
    this.#cursor = start?.cursor ?? '0'
    this.#count = Math.min(Math.max(range.pageSize, smallestCount), largestCount)
  }

  get over(): boolean {
    return this.#cursor === atEnd && this.#pending.size === 0
  }

  get position(): string {
    return writePosition({
      layout: this.#layout,
      shard: this.#shard.id,
      run: this.#run ?? '',
      cursor: this.#cursor,
      pending: [...this.#pending],
    })
  }

  /** The next entries: at most a page, perhaps none. */
  async page(): Promise<readonly ScanEntry<Bytes>[]> {
    const { pageSize, values } = this.#range
    if (!this.#checked) await this.#checkRun()
    for (
      let round = 0;
      round < mostRounds && this.#cursor !== atEnd && this.#pending.size < pageSize;
      round++
    )
      await this.#scan()
    const keys = [...this.#pending].slice(0, pageSize)
    const entries = await entriesOf(this.#source, keys, values)
    for (const key of keys) this.#pending.delete(key)
    return entries
  }

  async #scan(): Promise<void> {
    const args = [this.#cursor, 'MATCH', this.#pattern, 'COUNT', String(this.#count), 'TYPE', 'string']
    const [cursor, found] = await this.#ask('scan', args, foundIn)
    const before = this.#pending.size
    for (const name of found) {
      const key = keyOf(name, this.#source.prefix)
      if (key?.startsWith(this.#range.prefix) === true) this.#pending.add(key)
    }
    this.#cursor = cursor
    if (this.#pending.size - before < this.#range.pageSize / 2)
      this.#count = Math.min(this.#count * 2, largestCount)
    if (this.#cursor !== '0') return
    this.#cursor = atEnd
    await this.#checkRun()
  }

  /** A cursor of another run of the server leads anywhere: begin again. */
  async #checkRun(): Promise<void> {
    const run = await this.#runOfServer()
    if (this.#run !== run && this.#run !== undefined) this.#cursor = '0'
    this.#run = run
    this.#checked = true
  }

  /**
   * Users without the permission for INFO can list all the same: a connection that stays open is one run. Where a cursor
   * comes from elsewhere, only INFO tells whether it means anything.
   */
  async #runOfServer(): Promise<string> {
    try {
      return await this.#ask('info', ['server'], runIn)
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'ACCESS_DENIED') throw error
      const run = runOfConnection(this.#shard.connection)
      if (!this.#checked && this.#run !== undefined && this.#run !== run) throw error
      return run
    }
  }

  async #ask<T>(command: string, args: string[], read: (reply: unknown) => T): Promise<T> {
    const { connection } = this.#shard
    await this.#source.ready(connection)
    try {
      return read(await callBuffer(connection, command, args))
    } catch (error) {
      if (error instanceof UnexpectedReply) drop(connection)
      throw translate(error, false)
    }
  }
}

/** The next cursor and the keys of a reply to SCAN. */
function foundIn(reply: unknown): readonly [cursor: string, keys: readonly Buffer[]] {
  const [cursor, keys] = listOf(reply, 2)
  const next = textOf(cursor)
  if (!/^\d+$/.test(next)) throw new UnexpectedReply('a cursor', cursor)
  return [next, listOf(keys).map(bulk)]
}

/** The name of this run of the server. */
function runIn(reply: unknown): string {
  const run = /^run_id:(\w+)/m.exec(textOf(reply))?.[1]
  if (run === undefined) throw new UnexpectedReply('INFO with a run_id', reply)
  return run
}

const runs = new WeakMap<object, string>()

/** A name for the run of the server that a connection leads to, as long as it stays open. */
function runOfConnection({ stream }: RedisConnection): string {
  if (stream === undefined) return ''
  const run = runs.get(stream) ?? newVersion()
  runs.set(stream, run)
  return run
}

/** The canonical key of a key of the server; `undefined` if it cannot be one of this dataset. */
export function keyOf(name: Buffer, prefix: string): string | undefined {
  if (!isUtf8(name)) return undefined
  const key = name.toString()
  return key.length > prefix.length && key.startsWith(prefix) ? key.slice(prefix.length) : undefined
}

async function entriesOf(
  { header, read }: ScanSource,
  keys: readonly string[],
  values: boolean,
): Promise<readonly ScanEntry<Bytes>[]> {
  if (keys.length === 0) return []
  if (!values && !header) return keys.map((key) => ({ key }))
  const results = await read(keys.map((key) => ({ key, head: !values })))
  return keys.flatMap((key, i) => {
    const result = results[i]
    if (isStoreError(result) && result.code !== 'CORRUPT') throw result
    // Gone meanwhile, or not a record of this dataset.
    if (result === undefined || isStoreError(result)) return []
    return [isEntry(result) ? { key, entry: result } : { key }]
  })
}

/** Escapes a text so that it stands for itself in a pattern of Redis. */
function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&')
}
