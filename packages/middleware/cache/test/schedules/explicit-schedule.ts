import { Random, settled, withTimers } from '@unikv/test-kit/schedules'
import { type Cache, type CacheStats, createCache, loaded, notModified } from '../../src/index.ts'
import { longestPauseMs } from '../../src/store/lease-wait.ts'
import { ControlledStore } from './controlled-store.ts'
import { type TagMode, tagModes } from './tag-modes.ts'

/** What the native client holds of a key at some time. */
interface State {
  /** `undefined`: nothing. */
  readonly value: Value | undefined
  readonly version: string
  readonly expiresAt: number | undefined
}

/** A value that tells which state it is of. */
export interface Value {
  readonly state: number
}

/** What one schedule did, and what it found wrong. */
export interface Outcome {
  readonly violations: readonly string[]
  readonly operations: number
  readonly stats: CacheStats
  readonly below: CacheStats | undefined
}

/** The part of the cache that a schedule drives. */
export type Driven = Pick<
  Cache<Value>,
  'cached' | 'get' | 'peek' | 'put' | 'invalidateMany' | 'invalidateTags' | 'revalidate' | 'clear' | 'stats'
>

/** Settings of a schedule; all else comes from the seed. */
export interface ScheduleOptions {
  /** A second tier in a store that takes its time and fails. */
  readonly hasBelow: boolean
  /** Keys have tags, by which they are invalidated, too. */
  readonly hasTags?: boolean
  /** A cache to test instead. */
  readonly instead?: () => Driven
}

const keys = ['a', 'b'] as const
/** One key is busier, so that calls meet. */
const weighted = ['a', 'a', 'a', 'b'] as const

/** Run the schedule of this seed: random calls, latencies, failures, aborts and passing time. */
export function runExplicitSchedule(seed: number, options: ScheduleOptions): Promise<Outcome> {
  return withTimers(async (timers) => {
    const schedule = new Schedule(seed, options, timers)
    await schedule.run()
    return schedule.outcome()
  })
}

class Schedule {
  readonly #random: Random
  readonly #cache: Driven
  readonly #timers: { fire(upToMs: number): void }
  readonly #store: ControlledStore
  readonly #writes: number
  readonly #callers: number
  readonly #failures: number
  /** How often a load goes on when it could. */
  readonly #pace: number
  readonly #states = new Map<string, State[]>(
    keys.map((key) => [key, [{ value: undefined, version: 'v0', expiresAt: undefined }]]),
  )
  /** The last state, key by key, for which a `put` or `invalidate` was acknowledged. */
  readonly #acknowledged = new Map<string, number>()
  readonly #loads: (() => void)[] = []
  readonly #mode: TagMode | undefined
  readonly #hasBelow: boolean
  readonly #failed = new Map<unknown, { readonly key: string; readonly at: number }>()
  readonly #violations: string[] = []
  readonly #aborts = new Set<AbortController>()
  #now = 1_000_000
  #underWay = 0
  #operations = 0

  constructor(
    seed: number,
    { hasBelow, hasTags, instead }: ScheduleOptions,
    timers: { fire(upToMs: number): void },
  ) {
    const random = new Random(seed)
    this.#random = random
    this.#timers = timers
    this.#writes = random.pick([0.05, 0.15, 0.4])
    this.#callers = random.pick([2, 4, 8])
    this.#failures = random.pick([0, 0, 0.05, 0.25])
    this.#pace = random.pick([1, 1, 0.3, 0.05])
    const clock = () => this.#now
    this.#store = new ControlledStore('remote', random, clock, random.chance(0.7) ? {} : { ttl: false })
    this.#mode = hasTags === true ? random.pick(hasBelow ? tagModes.slice(0, 1) : tagModes) : undefined
    this.#hasBelow = hasBelow
    this.#cache = instead?.() ?? this.#made(hasBelow, clock)
  }

  async run(): Promise<void> {
    const steps = 60 + this.#random.below(100)
    for (let i = 0; i < steps; i++) {
      this.#act()
      await settled()
    }
    await this.#drain()
    for (const key of keys) {
      void this.#read(key, 'cached')
      await this.#drain()
    }
    if (this.#underWay > 0) this.#violations.push(`${this.#underWay} calls never settled`)
  }

  outcome(): Outcome {
    const { below, ...stats } = this.#cache.stats()
    return { violations: this.#violations, operations: this.#operations, stats, below }
  }

  #made(hasBelow: boolean, clock: () => number): Driven {
    const random = this.#random
    const background = (): void => {}
    const stale = random.pick([
      {},
      { staleWhileRevalidateMs: 100, background },
      { staleIfErrorMs: 100 },
      { staleWhileRevalidateMs: 20, background, staleIfErrorMs: Number.POSITIVE_INFINITY, softTimeoutMs: 10 },
    ])
    const renewal = {
      ...('background' in stale ? { refreshAhead: random.pick([false, { beta: 10 }, { beta: 1_000 }]) } : {}),
      jitter: random.pick([0, 0, 0.1, 1]),
      random: () => random.next(),
    }
    return createCache<Value>({
      ...this.#freshness(),
      ...(hasBelow ? {} : this.#mode?.cache),
      ...(this.#mode?.tagsAbsence === false ? { absentForMs: 0 } : {}),
      ...stale,
      maxEntries: random.pick([1, 10, 10]),
      share: random.pick(['freeze', 'copy']),
      clock,
      monotonicClock: clock,
      timeoutMs: Number.POSITIVE_INFINITY,
      ...renewal,
      below: hasBelow
        ? { ...this.#freshness(), ...this.#belowTags(), store: this.#store, timeoutMs: 250 }
        : undefined,
    })
  }

  #belowTags(): { tags?: (key: string) => readonly string[] } {
    const { tags } = this.#mode?.cache ?? {}
    return tags === undefined ? {} : { tags: (key) => tags(key, undefined) }
  }

  #freshness(): { freshForMs: number; keepForMs: number; absentForMs: number } {
    return {
      freshForMs: this.#random.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 100, 20, 5, 0]),
      keepForMs: this.#random.pick([Number.POSITIVE_INFINITY, 100]),
      absentForMs: this.#random.pick([0, 100, Number.POSITIVE_INFINITY]),
    }
  }

  #act(): void {
    if (this.#random.chance(0.03)) this.#timers.fire(1_000)
    const dice = this.#random.next()
    if (dice < 0.3 && this.#underWay < this.#callers) this.#start()
    else if (dice < 0.6 && this.#loads.length > 0 && this.#random.chance(this.#pace)) this.#stepLoad()
    else if (dice < 0.85 && this.#store.busy) this.#store.step()
    else if (dice < 0.91) this.#now += this.#random.pick([1, 5, 20, 60])
    else if (dice < 0.94) this.#store.applyLate()
    else if (dice < 0.95) for (const abort of this.#aborts) abort.abort()
    else if (dice < 0.955) this.#cache.clear()
    else if (dice < 0.965) this.#change(this.#random.pick(weighted))
    else if (this.#underWay < this.#callers) this.#start()
  }

  #start(): void {
    this.#operations++
    const key = this.#random.pick(weighted)
    if (this.#random.chance(this.#writes)) void this.#write(key)
    else void this.#read(key, this.#random.pick(['cached', 'cached', 'cached', 'get', 'peek', 'revalidate']))
  }

  /** The native client changes a key, and tells nobody. */
  #change(key: string): void {
    const states = this.#states.get(key) as State[]
    const state = states.length
    const value = this.#random.chance(0.2) ? undefined : { state }
    const expiresAt = this.#random.chance(0.2) ? this.#now + 1 + this.#random.below(100) : undefined
    states.push({ value, version: `v${state}`, expiresAt })
  }

  /** The application changes a key through the native client, and then tells the cache. */
  async #write(key: string): Promise<void> {
    const mode = this.#mode !== undefined && this.#random.chance(0.7) ? this.#mode : undefined
    const chosen = this.#random.chance(mode === undefined ? 0.1 : 0.4) ? keys : [key]
    for (const one of chosen) this.#change(one)
    const at = chosen.map((one) => (this.#states.get(one) as State[]).length - 1)
    const { value, version, expiresAt } = this.#latest(key)
    const puts = mode === undefined && chosen.length === 1 && value !== undefined && this.#random.chance(0.5)
    this.#underWay++
    try {
      if (mode !== undefined) await this.#cache.invalidateTags(mode.of(chosen))
      else if (!puts) await this.#cache.invalidateMany(chosen)
      else
        await this.#cache.put(key, value, {
          version,
          expiresAt,
          ...this.#mode?.call(key),
          ...this.#mode?.loader(key),
        })
      for (const [i, one] of chosen.entries())
        this.#acknowledged.set(one, Math.max(this.#acknowledged.get(one) ?? 0, at[i] as number))
    } catch (error) {
      // A second tier may not have been told.
      if (mode === undefined || !this.#hasBelow)
        this.#violations.push(`${puts ? 'put' : 'invalidate'} of ${key} was told ${String(error)}`)
    }
    this.#underWay--
  }

  async #read(key: string, how: 'cached' | 'get' | 'peek' | 'revalidate'): Promise<void> {
    const latest = (this.#states.get(key) as State[]).length - 1
    const bound = how === 'revalidate' ? latest : (this.#acknowledged.get(key) ?? 0)
    const startedAt = this.#now
    const abort = new AbortController()
    this.#aborts.add(abort)
    this.#underWay++
    const { signal } = abort
    const own = this.#random.pick([{}, {}, { freshForMs: 10 }, { absentForMs: 10 }, { freshForMs: 0 }])
    const times = this.#mode?.tagsAbsence === false ? { ...own, absentForMs: 0 } : own
    const load = this.#loader(key)
    try {
      let value: Value | undefined
      if (how === 'get') value = await this.#cache.get(key)
      else if (how === 'peek') value = this.#cache.peek(key)
      else value = await this.#cache[how](key, load, { signal, ...times, ...this.#mode?.call(key) })
      // That nothing is kept says nothing about the key.
      if (value !== undefined || how === 'cached' || how === 'revalidate')
        this.#check(`${how} of ${key}`, key, value, bound, startedAt)
    } catch (error) {
      this.#checkError(`${how} of ${key}`, key, error, startedAt, signal)
    }
    this.#underWay--
    this.#aborts.delete(abort)
  }

  #latest(key: string): State {
    return (this.#states.get(key) as State[]).at(-1) as State
  }

  /** Sees its key at one moment and answers at a later one, or fails. */
  #loader(key: string) {
    return ({ ifNotVersion }: { readonly ifNotVersion: string | undefined }) =>
      new Promise<ReturnType<typeof this.answer>>((resolve, reject) => {
        let state: State
        const fails = this.#random.chance(this.#failures)
        const see = (): void => {
          state = this.#latest(key)
          this.#loads.push(answer)
        }
        const answer = (): void => {
          if (!fails) return resolve(this.answer(key, state, ifNotVersion))
          const error = new Error('The schedule says so.')
          this.#failed.set(error, { key, at: this.#now })
          reject(error)
        }
        this.#loads.push(see)
      })
  }

  answer(key: string, { value, version, expiresAt }: State, ifNotVersion: string | undefined) {
    if (value === undefined || (expiresAt !== undefined && expiresAt <= this.#now)) return undefined
    if (version === ifNotVersion) return notModified()
    const freshForMs = this.#random.pick([undefined, undefined, 10])
    return loaded({ ...value }, { version, expiresAt, freshForMs, ...this.#mode?.loader(key) })
  }

  #stepLoad(): void {
    const at = this.#random.below(this.#loads.length)
    const [step] = this.#loads.splice(at, 1)
    step?.()
  }

  /** What was read must be what the key held at some time since the last change that the cache has acknowledged. */
  #check(what: string, key: string, value: Value | undefined, bound: number, startedAt: number): void {
    const states = this.#states.get(key) as State[]
    const isOf = (state: State): boolean => {
      if (value === undefined)
        return state.value === undefined || (state.expiresAt !== undefined && state.expiresAt <= this.#now)
      return (
        state.value?.state === value.state && (state.expiresAt === undefined || state.expiresAt > startedAt)
      )
    }
    if (states.slice(bound).some(isOf)) return
    this.#violations.push(
      `${what}: state ${value?.state} of ${states.length - 1}, although ${bound} was acknowledged`,
    )
  }

  /** Nobody is told an error but of his own abort, or of a load that ended while he waited, and that as it was. */
  #checkError(what: string, key: string, error: unknown, startedAt: number, signal: AbortSignal): void {
    const failure = this.#failed.get(error)
    if (failure !== undefined && failure.key === key && failure.at >= startedAt) return
    if (signal.aborted && (error as { code?: unknown }).code === 'ABORTED') return
    this.#violations.push(`${what} was told ${String(error)}`)
  }

  /** Let everything end. */
  async #drain(): Promise<void> {
    for (let i = 0; i < 2_000 && (this.#underWay > 0 || this.#loads.length > 0 || this.#store.busy); i++) {
      if (this.#loads.length > 0) this.#stepLoad()
      else if (this.#store.busy) this.#store.step()
      else this.#timers.fire(longestPauseMs)
      await settled()
    }
    this.#store.applyLate()
    await settled()
  }
}
