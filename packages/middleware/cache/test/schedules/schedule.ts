import {
  type AnyLayer,
  type Bytes,
  isWritten,
  type Mutation,
  newVersion,
  type Read,
  type ReadResult,
  type WriteResult,
} from '@unikv/core'
import { Random, settled, type Timers, withTimers } from '@unikv/test-kit/schedules'
import type { CacheStats } from '../../src/index.ts'
import { longestPauseMs } from '../../src/store/lease-wait.ts'
import { describe, matches } from './answers.ts'
import { type Client, keyValueClient, storeClient } from './client.ts'
import type { ControlledBus } from './controlled-bus.ts'
import { ControlledStore, type State } from './controlled-store.ts'
import { type Driven, maxStaleMs, type Planted, type Stack, Stacks, tagsOf } from './stacks.ts'

/** What one schedule did, and what it found wrong. */
export interface Outcome {
  readonly violations: readonly string[]
  readonly operations: number
  readonly stats: readonly CacheStats[]
}

/** Settings of a schedule; all else comes from the seed. */
export interface ScheduleOptions extends Planted {
  readonly stack: Stack
  /** Processes that share the source and the cache store. @default 1 */
  readonly processes?: number
  /** Through KeyValue, with its program order and with callers that abort; otherwise straight to the stack. */
  readonly throughKeyValue: boolean
  /** Layers to test instead of the cache. */
  readonly layers?: readonly AnyLayer[]
}

const keys = ['a', 'b'] as const
/** One key is busier, so that calls meet. */
const weighted = ['a', 'a', 'a', 'b'] as const

/** Run the schedule of this seed: random calls, latencies, failures, aborts and passing time. */
export function runSchedule(seed: number, options: ScheduleOptions): Promise<Outcome> {
  return withTimers(async (timers) => {
    const schedule = new Schedule(seed, options, timers)
    await schedule.run()
    return schedule.outcome()
  })
}

class Schedule {
  readonly #random: Random
  readonly #stack: Stack
  /** Share of writes. */
  readonly #writes: number
  /** Most calls at once. */
  readonly #callers: number
  /** How often waits for the cache store are given up. */
  readonly #impatience: number
  readonly #bus: ControlledBus
  readonly #timers: Timers
  readonly #source: ControlledStore
  readonly #cacheStore: ControlledStore
  readonly #caches: readonly Driven[]
  /** The tiers of each process, the lowest first, where there are tags. */
  readonly #tagged: (readonly Driven[])[] = []
  /** One for each process. */
  readonly #clients: readonly Client[]
  /** Whether waits for the cache store may be given up. */
  readonly #mayGiveUp: boolean
  readonly #violations: string[] = []
  readonly #acknowledged = new Map<string, number>()
  readonly #acknowledgements = new Map<string, { readonly at: number; readonly state: number }[]>()
  readonly #aborts = new Set<AbortController>()
  #failedAtRest: ReadonlyMap<string, number> = new Map()
  #now = 1_000_000
  #underWay = 0
  #operations = 0

  constructor(seed: number, options: ScheduleOptions, timers: Timers) {
    this.#random = new Random(seed)
    this.#stack = options.stack
    this.#timers = timers
    const random = this.#random
    this.#writes = random.pick([0.05, 0.15, 0.4])
    this.#callers = random.pick([2, 4, 8])
    this.#impatience = random.pick([0.02, 0.02, 0.15])
    const clock = () => this.#now
    const { stack, processes = 1, throughKeyValue } = options
    const conditionalRead = stack === 'validated' || random.chance(0.7)
    this.#source = new ControlledStore('source', random, clock, { conditionalRead })
    const stacks = new Stacks(random, stack, processes > 1, clock, options)
    this.#mayGiveUp = stacks.mayFail
    this.#bus = stacks.bus
    this.#cacheStore = new ControlledStore('remote', random, clock, random.chance(0.7) ? {} : { ttl: false })
    if (!stacks.mayFail) this.#cacheStore.neverFail()
    this.#clients = Array.from({ length: processes }, () => {
      const layers = options.layers ?? stacks.layers(this.#cacheStore)
      if (options.hasTags === true) this.#tagged.push([...layers].reverse() as unknown as Driven[])
      return throughKeyValue ? keyValueClient(this.#source, layers, clock) : storeClient(this.#source, layers)
    })
    this.#caches = stacks.caches
  }

  async run(): Promise<void> {
    const steps = (40 + this.#random.below(60)) * (this.#stack === 'objects' ? 1 : 2 * this.#clients.length)
    for (let i = 0; i < steps; i++) {
      this.#act()
      await settled()
    }
    await this.#drain()
    // Whoever may have missed something asks.
    this.#now += 2 * maxStaleMs
    for (const key of keys) for (const client of this.#clients) await this.#compareAtRest(key, client)
  }

  outcome(): Outcome {
    return {
      violations: this.#violations,
      operations: this.#operations,
      stats: this.#caches.map((one) => one.stats()),
    }
  }

  #act(): void {
    if (this.#stack === 'bus') {
      // Pings are due four times within that.
      if (this.#random.chance(0.1)) this.#timers.fire(maxStaleMs / 4)
      // With tags there is more to hear, and hits are wanted that rest on the bus alone.
      const most = this.#tagged.length === 0 ? 1 : 4 * this.#tagged.length
      for (let i = 0; i < most; i++) if (this.#random.chance(0.5)) this.#bus.step()
    }
    if (this.#random.chance(this.#impatience)) this.#timers.fire(this.#mayGiveUp ? 1_000 : longestPauseMs)
    const dice = this.#random.next()
    if (dice < 0.3 && this.#underWay < this.#callers) this.#start()
    else if (dice < 0.6 && this.#source.busy) this.#source.step()
    else if (dice < 0.85 && this.#cacheStore.busy) this.#cacheStore.step()
    else if (dice < 0.91) this.#now += this.#random.pick([1, 5, 20, 60])
    else if (dice < 0.965) this.#endDoubt()
    else if (dice < 0.975) for (const abort of this.#aborts) abort.abort()
    else if (this.#underWay < this.#callers) this.#start()
  }

  /** A write that was lost takes effect within the time for which the cache stays in doubt. */
  #endDoubt(): void {
    // All waits for the cache store end, too.
    if (!this.#mayGiveUp && this.#cacheStore.busy) return
    this.#source.applyLate()
    this.#cacheStore.applyLate()
    this.#timers.fire(Number.POSITIVE_INFINITY)
    // Marks of writes in doubt have run out, too.
    if (this.#isAtRest && this.#random.chance(0.5)) this.#now += 50_000
  }

  get #isAtRest(): boolean {
    return this.#underWay === 0 && !this.#source.busy && !this.#cacheStore.busy
  }

  #start(): void {
    this.#operations++
    if (this.#tagged.length > 0 && this.#random.chance(this.#writes)) return void this.#change()
    void (this.#random.chance(this.#writes) ? this.#write() : this.#read())
  }

  async #read(): Promise<void> {
    const client = this.#random.pick(this.#clients)
    const chosen = client.single || this.#random.chance(0.7) ? [this.#random.pick(weighted)] : keys
    const strong = this.#random.chance(0.1)
    const reads = chosen.map((key): Read => this.#dress(key, client.single))
    const bounds = chosen.map((key) => (strong ? this.#source.states(key).length - 1 : this.#boundOf(key)))
    const failed = this.#failuresSinceRest(chosen)
    const startedAt = this.#now
    const abort = new AbortController()
    this.#aborts.add(abort)
    this.#underWay++
    let results: readonly (ReadResult<Bytes> | Error)[]
    try {
      results = await client.read(reads, abort.signal, strong ? 'strong' : undefined)
    } catch (error) {
      results = reads.map(() => error as Error)
    }
    this.#underWay--
    this.#aborts.delete(abort)
    for (const [i, key] of chosen.entries()) {
      const result = results[i]
      if (result instanceof Error) {
        const excused =
          abort.signal.aborted || (this.#source.failedReads.get(key) ?? 0) > (failed[i] as number)
        if (!excused) this.#violations.push(`an innocent reader of ${key} was told ${result.message}`)
      } else this.#check(key, result, bounds[i] as number, startedAt)
    }
  }

  /** The oldest state that a reader may be told who comes now. */
  #boundOf(key: string): number {
    if (this.#stack !== 'bus') return this.#acknowledged.get(key) ?? 0
    const before = this.#now - maxStaleMs
    const seen = (this.#acknowledgements.get(key) ?? []).filter(({ at }) => at < before)
    return seen.at(-1)?.state ?? 0
  }

  /** How often reads of these keys had failed when nothing was under way: a batch that failed in part may be joined. */
  #failuresSinceRest(chosen: readonly string[]): readonly number[] {
    if (this.#isAtRest) this.#failedAtRest = new Map(this.#source.failedReads)
    return chosen.map((key) => this.#failedAtRest.get(key) ?? 0)
  }

  #dress(key: string, single: boolean): Read {
    const dice = this.#random.next()
    if (dice < 0.8) return { key }
    if (dice < 0.9 && !single) return { key, head: true }
    if (!this.#source.capabilities.conditionalRead) return { key }
    const { version } = this.#random.pick(this.#source.states(key))
    return version === undefined ? { key } : { key, ifNotVersion: version }
  }

  async #write(): Promise<void> {
    const client = this.#random.pick(this.#clients)
    const chosen = client.single || this.#random.chance(0.8) ? [this.#random.pick(weighted)] : keys
    const mutations = chosen.map((key) => this.#mutation(key))
    const abort = new AbortController()
    this.#aborts.add(abort)
    this.#underWay++
    let results: readonly (WriteResult | Error)[] = []
    try {
      results = await client.write(mutations, abort.signal)
    } catch {
      // not acknowledged
    }
    this.#underWay--
    this.#aborts.delete(abort)
    for (const [i, { key }] of mutations.entries()) {
      const result = results[i]
      if (result === undefined || result instanceof Error || !isWritten(result)) continue
      const token = client.tokenOf(mutations[i] as Mutation<Bytes>, result)
      const at = this.#source.states(key).findIndex((state) => state.token === token)
      this.#acknowledge(key, at)
    }
  }

  #acknowledge(key: string, state: number): void {
    if (state <= (this.#acknowledged.get(key) ?? 0)) return
    this.#acknowledged.set(key, state)
    const all = this.#acknowledgements.get(key) ?? []
    this.#acknowledgements.set(key, [...all, { at: this.#now, state }])
  }

  /** Somebody writes past the caches, and then one process invalidates the tags. */
  async #change(): Promise<void> {
    const chosen = this.#random.chance(0.4) ? keys : [this.#random.pick(weighted)]
    const written = chosen.map((key) => {
      const token = newVersion(this.#now)
      this.#source.change(key, this.#random.chance(0.2) ? undefined : Buffer.from(token), token)
      return this.#source.states(key).length - 1
    })
    const tiers = this.#random.pick(this.#tagged)
    const untold = (): number => tiers.reduce((sum, one) => sum + (one.stats().bus?.untold ?? 0), 0)
    const before = untold()
    const tags = chosen.length > 1 ? ['all'] : [this.#random.pick(tagsOf(chosen[0] as string))]
    this.#underWay++
    try {
      for (const tier of tiers) await tier.invalidateTags(tags)
      // What the bus did not take is told later.
      if (untold() === before)
        for (const [i, key] of chosen.entries()) this.#acknowledge(key, written[i] as number)
    } catch {
      // not acknowledged
    }
    this.#underWay--
  }

  #mutation(key: string): Mutation<Bytes> {
    const version = newVersion(this.#now)
    const dice = this.#random.next()
    const expiresAt = this.#random.chance(0.2) ? this.#now + 1 + this.#random.below(100) : undefined
    if (dice < 0.3) return { type: 'delete', key, version }
    if (dice < 0.4) return { type: 'touch', key, version, expiresAt }
    return { type: 'set', key, version, value: Buffer.from(version), expiresAt }
  }

  /** What was read must be what the key held at some time since the last write that was acknowledged before. */
  #check(key: string, result: ReadResult<Bytes>, bound: number, startedAt: number): void {
    const states = this.#source.states(key)
    const since = states.slice(bound)
    if (since.some((state) => matches(state, result, startedAt, this.#now))) return
    const at = states.findLastIndex((state) => matches(state, result, startedAt, this.#now))
    this.#violations.push(
      `${key}: read state ${at} of ${states.length - 1} although ${bound} was acknowledged before (${describe(result)})`,
    )
  }

  /** Let everything end. */
  async #drain(): Promise<void> {
    while (this.#underWay > 0 || this.#source.busy || this.#cacheStore.busy) {
      this.#goOn()
      await settled()
    }
    this.#endDoubt()
    await settled()
    while (this.#cacheStore.busy) {
      this.#cacheStore.step()
      await settled()
    }
  }

  /**
   * In one process the cache agrees with the store. The mark of a write in doubt gives way to that of a writer elsewhere, so
   * among processes such a write may take effect unseen; it was never acknowledged.
   */
  #mayBeAtRest(key: string): readonly State[] {
    if (this.#clients.length === 1 && this.#tagged.length === 0) return [this.#source.present(key)]
    return [this.#source.present(key), ...this.#source.states(key).slice(this.#acknowledged.get(key) ?? 0)]
  }

  /** One step of anything; if nothing is under way, somebody waits for the holder of a lease. */
  #goOn(): void {
    if (this.#source.busy) this.#source.step()
    else if (this.#cacheStore.busy) this.#cacheStore.step()
    else this.#timers.fire(longestPauseMs)
  }

  /** All writers went through the caches, so at rest the cache must agree with the store. */
  async #compareAtRest(key: string, client: Client): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt++) {
      let result: ReadResult<Bytes> | Error | undefined
      let done = false
      void client.read([{ key }], undefined, undefined).then(
        ([first]) => {
          result = first
          done = true
        },
        (error: unknown) => {
          result = error as Error
          done = true
        },
      )
      await settled()
      while (!done) {
        this.#goOn()
        await settled()
      }
      if (result instanceof Error) continue
      const state = this.#source.present(key)
      const found = result
      if (!this.#mayBeAtRest(key).some((one) => matches(one, found, this.#now, this.#now)))
        this.#violations.push(
          `${key}: at rest the cache says ${describe(result)}, the store ${describe(state)}`,
        )
      return
    }
  }
}
