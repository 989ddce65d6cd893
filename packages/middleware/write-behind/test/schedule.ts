import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, keyValue, type Mutation, type StoreError } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { expect } from 'vitest'
import { type WriteBehindLayer, writeBehind } from '../src/index.ts'
import { type Dice, diceOf, type FaultyStore, faulty, poison } from './faults.ts'

/** What a schedule did. */
export interface Done {
  acknowledged: number
  reads: number
  errors: number
  unknown: number
  lost: number
  crashes: number
  replayed: number
  coalesced: number
  retries: number
}

export interface Plan {
  readonly isJournaled: boolean
  readonly isAwaited?: boolean
  readonly isLiar?: boolean
}

/** One value that a key may have. */
interface State {
  readonly n: number | undefined
  readonly expiresAt: number | undefined
}

/** What is known of a key: what it has, unless one of those of unknown outcome came after it. */
interface Known {
  possible: State[]
  /** A write was refused for good, so that anything older may be there. */
  isSpoiled: boolean
}

const keys = ['a', 'b', 'c', 'd', 'e']
const absent: State = { n: undefined, expiresAt: undefined }

/**
 * Callers set, delete, read, abort, flush and let time pass, over a store and a journal that fail, are slow and give no
 * answer; processes are killed and come back. Every read sees the last acknowledged write; at rest the store has it.
 */
export async function runSchedule(seed: number, plan: Plan): Promise<Done> {
  const schedule = new Schedule(seed, plan)
  await schedule.run()
  return schedule.done
}

class Schedule {
  readonly done: Done = {
    acknowledged: 0,
    reads: 0,
    errors: 0,
    unknown: 0,
    lost: 0,
    crashes: 0,
    replayed: 0,
    coalesced: 0,
    retries: 0,
  }
  readonly #dice: Dice
  readonly #plan: Plan
  readonly #where: string
  readonly #known = new Map<string, Known>(keys.map((key) => [key, { possible: [absent], isSpoiled: false }]))
  readonly #source: MemoryStore
  readonly #records: MemoryStore
  /** Nothing comes late here, but who does not know that leaves guards. */
  readonly #doubtMs: number
  readonly #clock = () => this.#now
  #now = 1_700_000_000_000
  #next = 1
  /** States that were refused for good, which may be told before the acknowledgement is seen. */
  readonly #lost = new Set<State>()
  #opened: Opened

  constructor(seed: number, plan: Plan) {
    this.#dice = diceOf(seed)
    this.#plan = plan
    this.#where = `seed ${seed}, ${JSON.stringify(plan)}`
    this.#source = memory({ clock: this.#clock })
    this.#records = memory()
    this.#doubtMs = [0, 2, Number.POSITIVE_INFINITY][this.#dice(3)] as number
    this.#opened = this.#open()
  }

  async run(): Promise<void> {
    try {
      await this.#rounds()
    } finally {
      // One that failed leaves nothing behind that runs on.
      const { store, journal, kv } = this.#opened
      store.heal()
      journal.heal()
      await kv.close()
    }
  }

  async #rounds(): Promise<void> {
    for (let round = 1 + this.#dice(3); round > 0; round--) {
      await this.#calls(5 + this.#dice(40))
      if (this.#plan.isJournaled && this.#dice(2) === 0) await this.#crash()
      else await this.#rest()
    }
    const { store, journal, kv } = this.#opened
    store.heal()
    journal.heal()
    const end = this.#calls(this.#dice(10))
    if (this.#dice(2) === 0) await end
    await Promise.all([end, kv.close()])
    this.#count()
    this.#compare('after close')
    await this.#checkJournal()
  }

  /** Nothing is left that would be replayed, and nothing at all when doubts have ended. */
  async #checkJournal(): Promise<void> {
    const behind = writeBehind({ background: () => {}, journal: this.#records, doubtMs: 0 })
    const kv = keyValue(faulty(memory(), this.#dice, 0), [behind])
    await behind.flush()
    await kv.close()
    expect(behind.stats().replayed, `replayed after close, ${this.#where}`).toBe(0)
    expect(this.#records.native.size, `records left in the journal, ${this.#where}`).toBe(0)
  }

  #open(): Opened {
    const store: FaultyStore = faulty(this.#source, this.#dice, this.#dice(200), this.#plan.isLiar)
    const journal: FaultyStore = faulty(this.#records, this.#dice, this.#dice(100))
    const dice = this.#dice
    const behind = writeBehind({
      background: this.#plan.isAwaited === true ? undefined : () => {},
      ...(this.#plan.isJournaled ? { journal, doubtMs: this.#doubtMs } : {}),
      delayMs: dice(2),
      retryMs: 1,
      retryCapMs: 2,
      maxBatch: 1 + dice(6),
      maxQueued: 1 + dice(8),
      whenFull: dice(2) === 0 ? 'wait' : 'refuse',
      clock: this.#clock,
      random: () => dice(1_000) / 1_000,
      onLost: (mutation) => this.#lose(mutation),
    })
    const kv: unknown = keyValue(store, [behind], { clock: this.#clock, coalesce: dice(2) === 0 })
    return { store, journal, behind, kv: kv as Kv }
  }

  /** Start so many calls, and wait for all. */
  async #calls(count: number): Promise<void> {
    const underWay: Promise<void>[] = []
    const isDead = this.#opened
    for (let i = 0; i < count && this.#opened === isDead; i++) {
      const call = this.#call()
      // Looked at in the end; until then a failure is not unhandled.
      call.catch(() => {})
      underWay.push(call)
      const kind = this.#dice(8)
      if (kind < 3) await new Promise((resolve) => setImmediate(resolve))
      else if (kind === 3) await Promise.all(underWay)
      else if (kind === 4) this.#now += this.#dice(300)
    }
    await Promise.all(underWay)
  }

  #call(): Promise<void> {
    const key = keys[this.#dice(keys.length)] as string
    const kind = this.#dice(10)
    if (kind < 4) return this.#set(key)
    if (kind === 4)
      return this.#write(key, { ...absent }, (settings) => this.#opened.kv.delete(key, settings))
    if (kind === 5) return this.#opened.behind.flush({ timeoutMs: 5 }).catch(() => {})
    return this.#read(key, kind === 6 ? 'strong' : undefined)
  }

  #set(key: string): Promise<void> {
    const n = this.#next++
    const ttlMs = this.#dice(4) === 0 ? 1 + this.#dice(500) : undefined
    const expiresAt = ttlMs === undefined ? undefined : Math.ceil(this.#now + ttlMs)
    const isPoison = this.#dice(60) === 0
    const value = Uint8Array.from([isPoison ? poison : 0, n >> 8, n & 0xff])
    return this.#write(key, { n, expiresAt }, (settings) =>
      this.#opened.kv.set(key, value, { ...settings, ttlMs }),
    )
  }

  async #write(key: string, state: State, run: (settings: Settings) => Promise<unknown>): Promise<void> {
    const known = this.#known.get(key) as Known
    const stop = this.#dice(12) === 0 ? new AbortController() : undefined
    const work = run(stop === undefined ? {} : { signal: stop.signal })
    // Until it has ended, both may be seen; its turn comes after those before it.
    const isRefused = (error: unknown): boolean =>
      isStoreError(error) &&
      ['ABORTED', 'OVERLOADED', 'UNAVAILABLE', 'TIMEOUT', 'CLOSED'].includes(error.code)
    if (stop !== undefined) void this.#abort(stop)
    const before = known.possible.slice()
    known.possible.push(state)
    try {
      await work
      this.done.acknowledged++
      known.possible = known.possible.filter((one) => !before.includes(one))
      known.isSpoiled = this.#lost.has(state)
    } catch (error) {
      this.done.errors++
      if ((error as StoreError).code === 'INVALID_VALUE') known.isSpoiled = true
      else if (isRefused(error))
        known.possible = known.possible.filter((one) => one !== state || before.includes(one))
      else {
        this.done.unknown++
        expect((error as StoreError).code, this.#where).toBe('OUTCOME_UNKNOWN')
      }
    }
  }

  async #abort(stop: AbortController): Promise<void> {
    for (let turns = this.#dice(5); turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
    stop.abort()
  }

  async #read(key: string, consistency: string | undefined): Promise<void> {
    const known = this.#known.get(key) as Known
    const seenBefore = known.possible.slice()
    const at = this.#now
    let value: Uint8Array | undefined
    try {
      value = await this.#opened.kv.get(key, { consistency })
    } catch {
      return void this.done.errors++
    }
    this.done.reads++
    if (known.isSpoiled) return
    const states = [...seenBefore, ...known.possible]
    expect(numbersOf(states, at, this.#now), `read of ${key}, ${this.#where}`).toContain(numberOf(value))
  }

  /** All calls have ended: wait until the store has everything, and look. */
  async #rest(): Promise<void> {
    const { store, journal, behind } = this.#opened
    store.heal()
    journal.heal()
    await flushAll(behind)
    this.#compare('at rest')
  }

  /** Kill the process in the middle of calls, and start another one. */
  async #crash(): Promise<void> {
    void this.#calls(10).catch(() => {})
    await pause(this.#dice(3))
    this.done.crashes++
    this.#opened.store.die()
    this.#opened.journal.die()
    this.#count()
    this.#opened = this.#open()
    await this.#calls(this.#dice(10))
    await this.#rest()
  }

  #count(): void {
    const { replayed, coalesced, retries } = this.#opened.behind.stats()
    this.done.replayed += replayed
    this.done.coalesced += coalesced
    this.done.retries += retries
  }

  #lose(mutation: Mutation<Uint8Array>): void {
    this.done.lost++
    const known = this.#known.get(mutation.key) as Known
    known.isSpoiled = true
    const n = mutation.type === 'set' ? numberOf(mutation.value) : undefined
    for (const state of known.possible) if (state.n === n) this.#lost.add(state)
  }

  /** What the store itself has is what each key may have. */
  #compare(when: string): void {
    const results = this.#source.read(
      keys.map((key) => ({ key })),
      { deadlineAt: 0 },
    ) as readonly ({ value: Uint8Array } | undefined)[]
    keys.forEach((key, i) => {
      const known = this.#known.get(key) as Known
      if (known.isSpoiled) return
      expect(numbersOf(known.possible, this.#now, this.#now), `${key} ${when}, ${this.#where}`).toContain(
        numberOf(results[i]?.value),
      )
    })
  }
}

/** A write that was refused for good ends `flush` before the others are there. */
async function flushAll(behind: WriteBehindLayer): Promise<void> {
  try {
    await behind.flush()
  } catch (error) {
    if ((error as StoreError).code !== 'INVALID_VALUE') throw error
    await flushAll(behind)
  }
}

interface Opened {
  readonly store: FaultyStore
  readonly journal: FaultyStore
  readonly behind: WriteBehindLayer
  readonly kv: Kv
}

interface Settings {
  readonly signal?: AbortSignal
  readonly consistency?: string | undefined
}

interface Kv {
  get(key: string, settings?: Settings): Promise<Uint8Array | undefined>
  set(
    key: string,
    value: Uint8Array,
    settings: Settings & { readonly ttlMs: number | undefined },
  ): Promise<unknown>
  delete(key: string, settings: Settings): Promise<unknown>
  close(): Promise<void>
}

function numberOf(value: Uint8Array | undefined): number | undefined {
  return value === undefined ? undefined : ((value[1] as number) << 8) | (value[2] as number)
}

/** What may be read of a key in one of these states, between two times. */
function numbersOf(states: readonly State[], from: number, until: number): readonly (number | undefined)[] {
  return states.flatMap(({ n, expiresAt }) => {
    if (expiresAt === undefined || expiresAt > until) return n
    return expiresAt <= from ? undefined : [n, undefined]
  })
}
