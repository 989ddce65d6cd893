import type { Time } from './time.ts'

/** A write of one key by one process. */
export interface Write {
  /** What it wrote; `undefined`: it deleted. */
  readonly id: number | undefined
  readonly process: number
  readonly startedAt: number
  /** By the clock on the wall; `undefined`: never. */
  readonly expiresAt: number | undefined
  /** By the clock that is never set. */
  readonly endsAtMono: number | undefined
  /** When it was acknowledged, by order and by time. */
  acknowledged?: { readonly order: number; readonly mono: number } | undefined
  /** How long it lives, if it said so itself. */
  readonly ttlMs: number | undefined
  /** How often the clock on the wall had been set. */
  readonly jumps: number
  /** By the clock on the wall and the other one, before which it cannot have ended. */
  readonly wall: number
  readonly mono: number
  /** Of one that no cache sees: processes that were told, and when. */
  told?: Map<number, number>
  /** Whether its caller was told that nothing was changed. */
  isRefused?: boolean
  /** That its caller was told. */
  version?: string | undefined
  /** Whether somebody was told that it may be lost, although it was or will be acknowledged. */
  isLost?: boolean
}

/** Who reads, and since when. */
export interface Reader {
  readonly process: number
  readonly order: number
  readonly mono: number
  /** By the clock on the wall. */
  readonly wall: number
}

/** Who looks at the store itself: nothing old is excused. */
export const nobody = -1
/** Who writes to the store itself, past all caches. */
export const outside = -2

/** What was written to each key, and what a reader may be told of it. */
export class History {
  readonly #time: Time
  readonly #staleMs: number
  readonly #skewMs: number
  readonly #writes = new Map<string, Write[]>()
  /** Versions of which somebody was told that they are lost. */
  readonly #lost = new Set<string>()
  #order = 0
  #ids = 0

  /**
   * @param staleMs How old an answer may be that another process wrote.
   * @param skewMs By how much the clocks of processes differ.
   */
  constructor(time: Time, staleMs: number, skewMs: number) {
    this.#time = time
    this.#staleMs = staleMs
    this.#skewMs = skewMs
  }

  /** A value that nobody wrote before. */
  nextId(): number {
    return ++this.#ids
  }

  /** A write begins. `'keep'`: it keeps the expiry of what was there. */
  start(place: number, key: string, id: number | undefined, ttlMs?: number | 'keep'): Write {
    const there = this.#of(key).filter(({ expiresAt }) => expiresAt !== undefined)
    const write: Write = {
      id,
      process: place,
      startedAt: ++this.#order,
      ttlMs: typeof ttlMs === 'number' ? ttlMs : undefined,
      jumps: this.#time.jumps,
      wall: this.#time.wall,
      mono: this.#time.mono(),
      expiresAt: endOf(
        this.#time.wall,
        ttlMs,
        there.map((one) => one.expiresAt),
      ),
      endsAtMono: endOf(
        this.#time.mono(),
        ttlMs,
        there.map((one) => one.endsAtMono),
      ),
    }
    this.#of(key).push(write)
    return write
  }

  /** @param version What its caller was told. */
  acknowledge(write: Write, version: string | undefined): void {
    write.acknowledged = { order: ++this.#order, mono: this.#time.mono() }
    write.version = version
    if (version !== undefined && this.#lost.has(version)) write.isLost = true
  }

  /** The writes of a key were in the memory of a process that was killed. */
  lose(key: string): void {
    for (const write of this.#of(key)) write.isLost = true
  }

  /**
   * Somebody was told that the write of this version is lost, and so are those that it had replaced in the queue: back to
   * the newest one that `isThere`, which the store has or had. Its own caller may have been told of no version.
   * @param key As the store knows it: of hashed names only the version tells which.
   */
  loseOne(key: string, version: string, isThere: (version: string | undefined) => boolean): void {
    this.#lost.add(version)
    for (const [name, writes] of this.#writes) {
      const newestFirst = writes.filter(isAcknowledged).sort((a, b) => orderOf(b) - orderOf(a))
      const at = newestFirst.findIndex((one) => one.version === version)
      if (at < 0 && name !== key) continue
      const older = newestFirst.slice(at + 1)
      const kept = older.findIndex((one) => isThere(one.version))
      const replaced = kept < 0 ? older : older.slice(0, kept)
      for (const one of [...newestFirst.slice(at < 0 ? 0 : at, at + 1), ...replaced]) one.isLost = true
    }
  }

  /** A process was told that what it keeps of this write's key is old. */
  tell(write: Write, process: number): void {
    write.told ??= new Map()
    write.told.set(process, ++this.#order)
  }

  reader(process: number): Reader {
    return { process, order: ++this.#order, mono: this.#time.mono(), wall: this.#time.wall }
  }

  /** Why this reader may not be told that there is something; `undefined`: it may. */
  wrongPresence(key: string, reader: Reader): string | undefined {
    const writes = this.#of(key)
    const there = writes.filter((one) => one.id !== undefined && !this.#isOver(one, reader))
    if (there.some((one) => this.#mayBe(one, writes, reader))) return undefined
    return `${key} is there, after ${this.#lastBefore(writes, reader)} was acknowledged`
  }

  /** Why this reader may not be told so now; `undefined`: it may. `id`: `undefined` is absent. */
  wrong(key: string, id: number | undefined, reader: Reader): string | undefined {
    const writes = this.#of(key)
    if (id === undefined) {
      const gone = writes.filter((one) => one.id === undefined || this.#mayBeGone(one))
      if (
        writes.every((one) => !this.#isPast(one, reader)) ||
        gone.some((one) => this.#mayBe(one, writes, reader))
      )
        return undefined
      return `${key} is absent, after ${this.#lastBefore(writes, reader)} was acknowledged`
    }
    const written = writes.filter((one) => one.id === id)
    if (written.length === 0) return `${key} holds ${id}, which nobody wrote to it`
    if (written.every((one) => one.isRefused === true))
      return `${key} holds ${id}, of a write that was refused`
    if (written.every((one) => this.#isOver(one, reader))) return `${key} holds ${id}, which has expired`
    if (written.some((one) => this.#mayBe(one, writes, reader))) return undefined
    return `${key} holds ${id}, after ${this.#lastBefore(writes, reader)} was acknowledged`
  }

  /** Whether somebody wrote it, at any time: all that is asked of an answer that is marked stale. */
  wasWritten(key: string, id: number): boolean {
    return this.#of(key).some((one) => one.id === id && one.isRefused !== true)
  }

  #of(key: string): Write[] {
    let writes = this.#writes.get(key)
    if (writes === undefined) {
      writes = []
      this.#writes.set(key, writes)
    }
    return writes
  }

  /** A write that may be what the reader sees: no later one was acknowledged before the reader came. */
  #mayBe(write: Write, writes: readonly Write[], reader: Reader): boolean {
    if (write.isRefused === true) return false
    const { acknowledged, isLost } = write
    return (
      acknowledged === undefined ||
      isLost === true ||
      !writes.some((one) => one.startedAt > acknowledged.order && this.#isPast(one, reader))
    )
  }

  /** Whether a reader has to know of this write. */
  #isPast({ acknowledged, process, isLost, told }: Write, reader: Reader): boolean {
    if (acknowledged === undefined || isLost === true || acknowledged.order > reader.order) return false
    if (reader.process === nobody || process === reader.process) return true
    if (process === outside) return (told?.get(reader.process) ?? Number.POSITIVE_INFINITY) < reader.order
    // Freshness in a store is by the clock on the wall.
    const staleMs = this.#staleMs === 0 ? 0 : this.#staleMs + this.#time.backMs + this.#skewMs
    return staleMs === 0 || acknowledged.mono < reader.mono - staleMs
  }

  /** Whether it had expired by all clocks when the reader came. */
  #isOver({ ttlMs, jumps, wall, mono }: Write, reader: Reader): boolean {
    if (ttlMs === undefined || jumps !== this.#time.jumps) return false
    const endsMs = ttlMs + 2 * this.#skewMs
    return wall + endsMs < reader.wall && mono + endsMs < reader.mono
  }

  #mayBeGone({ expiresAt, endsAtMono }: Write): boolean {
    if (expiresAt === undefined || endsAtMono === undefined) return false
    return expiresAt <= this.#time.latest + 2 * this.#skewMs || endsAtMono <= this.#time.mono()
  }

  #lastBefore(writes: readonly Write[], reader: Reader): string {
    const last = writes.findLast((one) => this.#isPast(one, reader))
    return last?.id === undefined ? 'a delete' : `the set of ${last.id} by process ${last.process}`
  }
}

function isAcknowledged({ acknowledged }: Write): boolean {
  return acknowledged !== undefined
}

function orderOf({ acknowledged }: Write): number {
  return acknowledged?.order ?? 0
}

/** When a record ends; of one that keeps what was there, the earliest time that may be meant. */
function endOf(
  now: number,
  ttlMs: number | 'keep' | undefined,
  there: readonly (number | undefined)[],
): number | undefined {
  if (typeof ttlMs === 'number') return now + ttlMs
  return ttlMs === 'keep' && there.length > 0 ? Math.min(...there.map(Number)) : undefined
}
