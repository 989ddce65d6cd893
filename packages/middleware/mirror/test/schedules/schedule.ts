import {
  type Bytes,
  type CallOptions,
  type Capabilities,
  isStoreError,
  type Mutation,
  newVersion,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { Random, settled, type Timers, withTimers } from '@unikv/test-kit/schedules'
import { type MirrorOptions, mirror } from '../../src/index.ts'
import { ControlledStore } from './controlled-store.ts'

/** What a schedule needs of what it tests. */
export interface Mirrored {
  write(mutations: readonly Mutation<Bytes>[], call: CallOptions): WriteResults | Promise<WriteResults>
  stats(): { readonly dirty: number; readonly mustResync: boolean }
  repair(): Promise<number>
}

type WriteResults = readonly WriteResult[]

/** What one schedule did, and what it found wrong. */
export interface Outcome {
  readonly violations: readonly string[]
  readonly writes: number
  readonly failures: number
  readonly repairs: number
  readonly mirrored: number
}

/** Settings of a schedule; all else comes from the seed. */
export interface ScheduleOptions {
  /** Processes that mirror the same pair. */
  readonly processes?: number
  /** What to test instead of `mirror`. */
  readonly make?: (primary: Store<Bytes>, secondary: Store<Bytes>) => Mirrored
}

const keys = ['a', 'b', 'c'] as const
/** One key is busier, so that writes meet. */
const weighted = ['a', 'a', 'a', 'a', 'b', 'c'] as const
const doubtMs = 200
const timeoutMs = 250

/** Run the schedule of this seed: random writes, latencies, failures, late effects and passing time. */
export function runSchedule(seed: number, options: ScheduleOptions = {}): Promise<Outcome> {
  return withTimers(async (timers) => {
    const schedule = new Schedule(seed, options, timers)
    await schedule.run()
    return schedule.outcome()
  })
}

class Schedule {
  readonly #random: Random
  readonly #timers: Timers
  readonly #primary: ControlledStore
  readonly #secondary: ControlledStore
  readonly #mirrors: readonly Mirrored[]
  readonly #violations: string[] = []
  readonly #callers: number
  readonly #impatience: number
  #now = 1_000_000
  #underWay = 0
  #writes = 0

  constructor(seed: number, { processes = 1, make }: ScheduleOptions, timers: Timers) {
    const random = new Random(seed)
    this.#random = random
    this.#timers = timers
    this.#callers = random.pick([1, 2, 6])
    this.#impatience = random.pick([0, 0, 0.01, 0.05])
    const clock = (): number => this.#now
    const controlled = (name: string, capabilities: Partial<Capabilities>): ControlledStore =>
      new ControlledStore({ name, random, clock, doubtMs, capabilities })
    this.#primary = controlled('primary', random.chance(0.7) ? {} : { conditionalRead: false })
    this.#secondary = controlled('secondary', random.chance(0.6) ? {} : { conditionalWrite: false })
    const settings = (): MirrorOptions => ({
      timeoutMs,
      doubtMs,
      writers: processes > 1 ? 'many' : random.pick(['one', 'many']),
      ...random.pick([{}, { acknowledge: 'primary', background: () => {} } as const]),
      monotonicClock: clock,
      random: () => random.next(),
    })
    const made =
      make ?? ((a: Store<Bytes>, b: Store<Bytes>): Mirrored => mirror(a, b, settings()) as Mirrored)
    this.#mirrors = Array.from({ length: processes }, () => made(this.#primary, this.#secondary))
  }

  async run(): Promise<void> {
    const steps = 100 + this.#random.below(300)
    for (let i = 0; i < steps; i++) {
      this.#act()
      await settled()
      this.#compareIfQuiet(`step ${i}`)
    }
    await this.#drain()
    this.#compare('at rest')
  }

  outcome(): Outcome {
    const counted = this.#mirrors.map((one) => one.stats() as { repairs?: number; mirrored?: number })
    const sum = (name: 'repairs' | 'mirrored'): number =>
      counted.reduce((total, stats) => total + (stats[name] ?? 0), 0)
    return {
      violations: this.#violations,
      writes: this.#writes,
      failures: this.#primary.requests.failures + this.#secondary.requests.failures,
      repairs: sum('repairs'),
      mirrored: sum('mirrored'),
    }
  }

  #act(): void {
    const random = this.#random
    if (random.chance(this.#impatience)) this.#timers.fire(timeoutMs)
    const dice = random.next()
    if (dice < 0.15 && this.#underWay < this.#callers) void this.#write()
    else if (dice < 0.48 && this.#primary.requests.busy) this.#primary.requests.step()
    else if (dice < 0.85 && this.#secondary.requests.busy) this.#secondary.requests.step()
    else if (dice < 0.93) this.#pass(random.pick([1, 20, 100, 400]))
    else if (dice < 0.96) this.#timers.fire(timeoutMs - 1)
    else if (dice < 0.98) random.pick([this.#primary, this.#secondary]).requests.applyLate(this.#now)
    else if (dice < 0.99) void random.pick(this.#mirrors).repair()
  }

  #pass(ms: number): void {
    for (const { requests } of [this.#primary, this.#secondary]) requests.applyLate(this.#now + ms)
    this.#now += ms
  }

  async #write(): Promise<void> {
    const chosen = this.#random.chance(0.8) ? [this.#random.pick(weighted)] : keys.slice(0, 2)
    const mutations = chosen.map((key) => this.#mutation(key))
    const failuresBefore = this.#primary.requests.failures
    this.#underWay++
    this.#writes += mutations.length
    try {
      await this.#random.pick(this.#mirrors).write(mutations, callOptions())
    } catch (error) {
      if (this.#primary.requests.failures === failuresBefore)
        this.#violations.push(`a write failed although the primary did not: ${String(error)}`)
      if (!isStoreError(error)) this.#violations.push(`not an error of this library: ${String(error)}`)
    }
    this.#underWay--
  }

  #mutation(key: string): Mutation<Bytes> {
    const version = newVersion(this.#now)
    const dice = this.#random.next()
    const expiresAt = this.#random.chance(0.2) ? this.#now + 1 + this.#random.below(4_000) : undefined
    const there = this.#primary.present(key)?.version ?? null
    const ifVersion = this.#random.chance(0.3) ? there : undefined
    if (dice < 0.25) return { type: 'delete', key, version, ifVersion }
    if (dice < 0.35) return { type: 'touch', key, version, expiresAt }
    if (dice < 0.45) return { type: 'set', key, version, value: Buffer.from('k'), expiresAt: 'keep' }
    return { type: 'set', key, version, value: Buffer.from(version), expiresAt, ifVersion }
  }

  /** Let everything end, and time pass, until nothing is owed. */
  async #drain(): Promise<void> {
    for (const { requests } of [this.#primary, this.#secondary]) requests.heal()
    for (let round = 0; round < 200; round++) {
      while (this.#primary.requests.busy || this.#secondary.requests.busy) {
        if (this.#primary.requests.busy) this.#primary.requests.step()
        if (this.#secondary.requests.busy) this.#secondary.requests.step()
        await settled()
      }
      if (this.#underWay === 0 && !this.#isInDoubt && this.#mirrors.every((one) => one.stats().dirty === 0))
        return
      this.#pass(500)
      for (const one of this.#mirrors) if (!('primary' in one)) void one.repair()
      this.#timers.fire(Number.POSITIVE_INFINITY)
      await settled()
    }
    this.#violations.push('keys are owed for ever')
  }

  get #isInDoubt(): boolean {
    return this.#primary.requests.isInDoubt || this.#secondary.requests.isInDoubt
  }

  /** Whenever nothing is under way, in doubt or owed, both must be equal. */
  #compareIfQuiet(when: string): void {
    if (this.#underWay > 0 || this.#primary.requests.busy || this.#secondary.requests.busy || this.#isInDoubt)
      return
    if (this.#mirrors.every((one) => one.stats().dirty === 0)) this.#compare(when)
  }

  #compare(when: string): void {
    if (this.#mirrors.some((one) => one.stats().mustResync)) this.#violations.push('the journal overflowed')
    for (const key of keys) {
      const [a, b] = [this.#primary.present(key), this.#secondary.present(key)]
      if (a?.version === b?.version && a?.expiresAt === b?.expiresAt) continue
      this.#violations.push(`${when}, ${key}: the primary has ${a?.version}, the secondary ${b?.version}`)
    }
  }
}
