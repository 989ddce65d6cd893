import {
  type Bytes,
  type CallOptions,
  compose,
  isConditionFailed,
  isEntry,
  isStoreError,
  type Mutation,
  type ReadResult,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { type HistoryOperation, judge } from '@unikv/test-kit'
import { Random, settled, withTimers } from '@unikv/test-kit/schedules'
import { readHead } from '../../src/chain/head.ts'
import { partsOf } from '../../src/chain/parts.ts'
import { type DeltaLayer, type DeltaOptions, type DeltaStats, delta, sweepDeltas } from '../../src/index.ts'
import type { Careless } from './careless.ts'
import { ControlledStore, type ProcessStore } from './controlled-store.ts'

/** What one schedule did, and what it found wrong. */
export interface Outcome {
  readonly violations: readonly string[]
  readonly operations: number
  readonly failures: number
  readonly kills: number
  readonly stats: Pick<DeltaStats, 'deltas' | 'bases' | 'conflicts' | 'overtaken' | 'partsRemoved'>
}

/** Settings of a schedule; all else comes from the seed. */
export interface ScheduleOptions {
  /** Processes that share the store. */
  readonly processes: number
  /** Values that end. Then what is read is judged, and not who came first. */
  readonly expiry?: boolean
  /** A rule that is broken. */
  readonly careless?: Careless
}

interface Process {
  readonly below: ProcessStore
  readonly store: Store<Bytes>
}

const keys = ['a', 'b', 'c'] as const
/** One key is busier, so that writes meet. */
const weighted = ['a', 'a', 'a', 'a', 'b', 'c'] as const
const graceMs = 1_000_000

/** Run the schedule of this seed: random calls, latencies, failures, late effects and kills. */
export function runSchedule(seed: number, options: ScheduleOptions): Promise<Outcome> {
  return withTimers(async () => {
    const schedule = new Schedule(seed, options)
    await schedule.run()
    return schedule.outcome()
  })
}

class Schedule {
  readonly #random: Random
  readonly #options: ScheduleOptions
  readonly #settings: DeltaOptions
  readonly #store: ControlledStore
  readonly #processes: Process[]
  readonly #layers: DeltaLayer[] = []
  /** Versions of the writes that have no condition. */
  readonly #free = new Set<string>()
  readonly #violations: string[] = []
  readonly #history: HistoryOperation[] = []
  readonly #callers: number
  readonly #conditionalRead: boolean
  readonly #killShare: number
  readonly #aborts = new Set<AbortController>()
  #clock = 1_000_000
  #moment = 0
  #underWay = 0
  #kills = 0
  #versions = 0

  constructor(seed: number, options: ScheduleOptions) {
    const random = new Random(seed)
    this.#random = random
    this.#options = options
    this.#callers = random.pick([1, 2, 5])
    this.#conditionalRead = random.chance(0.7)
    this.#killShare = random.pick([0, 0.001, 0.01])
    this.#settings = {
      minBytes: 0,
      maxDeltas: random.pick([1, 2, 4, 16]),
      maxDeltaShare: 1,
      maxChainShare: random.pick([0.3, 2]),
      inlineBytes: random.pick([0, 80, 1000]),
      memoryBytes: random.pick([0, 20_000, 1_000_000]),
      readBeforeWrite: random.chance(0.5),
      clock: () => this.#clock,
    }
    this.#store = new ControlledStore(random, () => this.#clock)
    this.#processes = Array.from({ length: options.processes }, () => this.#start())
  }

  async run(): Promise<void> {
    const steps = 150 + this.#random.below(250)
    for (let i = 0; i < steps; i++) {
      this.#act()
      await settled()
    }
    await this.#rest()
    await this.#checkAtRest()
    if (this.#options.expiry !== true) this.#judge()
  }

  outcome(): Outcome {
    const stats = { deltas: 0, bases: 0, conflicts: 0, overtaken: 0, partsRemoved: 0 }
    for (const layer of this.#layers)
      for (const one of layer.stats())
        for (const name of Object.keys(stats) as (keyof typeof stats)[]) stats[name] += one[name]
    const { failures } = this.#store.requests
    return {
      violations: this.#violations,
      operations: this.#history.length,
      failures,
      kills: this.#kills,
      stats,
    }
  }

  #start(): Process {
    const layer = delta(this.#settings)
    this.#layers.push(layer)
    const below = this.#store.open({ conditionalRead: this.#conditionalRead })
    const { careless = (store: Store<Bytes>) => store } = this.#options
    const stored = careless(below, (version) => this.#free.has(version))
    return { below, store: compose(stored, [layer] as never) as Store<Bytes> }
  }

  #act(): void {
    const random = this.#random
    if (random.chance(this.#killShare)) this.#kill()
    const dice = random.next()
    if (dice < 0.2 && this.#underWay < this.#callers) void this.#call()
    else if (dice < 0.95 && this.#store.requests.busy) this.#store.requests.step()
    else if (dice < 0.97) this.#store.requests.applyLate()
    else if (dice < 0.975) this.#abort()
    else if (dice < 0.985) this.#clock += random.pick([1, 50, 500])
    else if (dice < 0.99) this.#sweep()
  }

  #abort(): void {
    for (const abort of this.#aborts) abort.abort()
    this.#aborts.clear()
  }

  /** The options of a call, which now and then may be aborted. */
  #callOptions(): CallOptions {
    if (this.#random.chance(0.7)) return callOptions()
    const abort = new AbortController()
    this.#aborts.add(abort)
    return callOptions({ signal: abort.signal })
  }

  /** Only when nobody is between a part and its head: that is what the grace time stands for. */
  #sweep(): void {
    if (this.#underWay > 0 || this.#store.requests.busy || this.#store.requests.isInDoubt) return
    void this.#swept().catch(() => {})
  }

  #swept(): Promise<unknown> {
    const below = this.#store.open({}) as Store<Bytes>
    return sweepDeltas(below, { graceMs, clock: () => Date.now() + graceMs })
  }

  #kill(): void {
    const index = this.#random.below(this.#processes.length)
    this.#processes[index]?.below.kill()
    this.#processes[index] = this.#start()
    this.#kills++
    // Its calls are never answered.
    this.#underWay = 0
  }

  #call(): Promise<void> {
    const random = this.#random
    const chosen = random.chance(0.75) ? [random.pick(weighted)] : keys.slice(0, 2 + random.below(2))
    const process = random.pick(this.#processes)
    this.#underWay++
    const work = random.chance(0.45) ? this.#read(process, chosen) : this.#write(process, chosen)
    return work.then(() => {
      this.#underWay = Math.max(0, this.#underWay - 1)
    })
  }

  async #read({ store }: Process, chosen: readonly string[]): Promise<void> {
    const calledAt = this.#moment++
    let results: readonly ReadResult<Bytes>[]
    try {
      results =
        chosen.length > 2
          ? await this.#listed(store)
          : await store.read(
              chosen.map((key) => ({ key })),
              callOptions(),
            )
    } catch (error) {
      this.#mayFail(error)
      return
    }
    for (const [i, key] of chosen.entries()) {
      const result = results[i]
      if (isStoreError(result)) this.#mayFail(result)
      else {
        this.#check(key, result)
        const found = result?.version
        this.#history.push({ type: 'read', key, calledAt, returnedAt: this.#moment++, found })
      }
    }
  }

  async #listed(store: Store<Bytes>): Promise<readonly ReadResult<Bytes>[]> {
    const found = new Map<string, ReadResult<Bytes>>()
    for await (const page of store.scan({ prefix: '', pageSize: 10, values: true }, callOptions()))
      for (const { key, entry } of page.entries) found.set(key, entry)
    return keys.map((key) => found.get(key))
  }

  async #write({ store }: Process, chosen: readonly string[]): Promise<void> {
    const mutations = chosen.map((key) => this.#mutation(key))
    const calledAt = this.#moment++
    const open = new Set(mutations)
    const note = (mutation: Mutation<Bytes>, result: WriteResult): void => {
      open.delete(mutation)
      this.#note(mutation, result, calledAt)
    }
    // Whoever is killed never answers.
    const unanswered = mutations.map((mutation) => unknownWrite(mutation, calledAt))
    this.#history.push(...unanswered)
    let results: readonly WriteResult[]
    try {
      results = await store.write(mutations, this.#callOptions())
    } catch (error) {
      results = mutations.map(() => error as WriteResult)
    }
    for (const one of unanswered) this.#history.splice(this.#history.indexOf(one), 1)
    for (const [i, mutation] of mutations.entries()) note(mutation, results[i] as WriteResult)
  }

  #note(mutation: Mutation<Bytes>, result: WriteResult, calledAt: number): void {
    const unknown = unknownWrite(mutation, calledAt)
    if (isStoreError(result)) {
      this.#mayFail(result)
      if (result.code === 'OUTCOME_UNKNOWN') this.#history.push(unknown)
    } else if (isConditionFailed(result)) {
      if (mutation.ifVersion === undefined) this.#violations.push('a write without a condition was refused')
      this.#history.push({ ...unknown, returnedAt: this.#moment++, result: 'refused', found: result.version })
    } else this.#history.push({ ...unknown, returnedAt: this.#moment++, result: 'applied' })
  }

  #mutation(key: string): Mutation<Bytes> {
    const random = this.#random
    const version = this.#newVersion()
    const there = this.#store.present.get(key)?.version ?? null
    const ifVersion = random.chance(0.35) ? (random.chance(0.8) ? there : this.#newVersion()) : undefined
    if (ifVersion === undefined) this.#free.add(version)
    if (random.chance(0.08)) return { type: 'delete', key, version, ifVersion }
    const end = this.#clock + 1 + random.below(2_000)
    const expiresAt =
      this.#options.expiry === true ? random.pick([undefined, end, 'keep'] as const) : undefined
    return { type: 'set', key, version, ifVersion, expiresAt, value: valueOf(version, random) }
  }

  /** The same for the same seed, as values tell it and deltas are as long as they differ. */
  #newVersion(): string {
    return (++this.#versions).toString(16).padStart(24, '0')
  }

  /** Every value tells its version. */
  #check(key: string, result: ReadResult<Bytes>): void {
    if (!isEntry(result)) return
    const { value, version } = result
    const text = Buffer.from(value).toString()
    if (!text.startsWith(`${version} `) || !text.endsWith(` ${version}`))
      this.#violations.push(`${key}: the value of another version stands under ${version}`)
  }

  #mayFail(error: unknown): void {
    if (isStoreError(error) && error.message.startsWith('Aborted')) return
    if (isStoreError(error) && ['UNAVAILABLE', 'OUTCOME_UNKNOWN'].includes(error.code)) {
      if (this.#store.requests.failures === 0)
        this.#violations.push(`failed although nothing did: ${error.message}`)
    } else this.#violations.push(`failed with ${String(error)}`)
  }

  /** Let everything end that can. */
  async #rest(): Promise<void> {
    this.#store.requests.heal()
    for (let round = 0; round < 10_000; round++) {
      if (this.#store.requests.busy) this.#store.requests.step()
      else if (this.#store.requests.isInDoubt) this.#store.requests.applyLate()
      else return
      await settled()
    }
    this.#violations.push('it never comes to rest')
  }

  /** Everything is read by each process and by a new one; then no part is there that no head names. */
  async #checkAtRest(): Promise<void> {
    const reads = [...this.#processes, this.#start()].map((process) => this.#read(process, ['a', 'b']))
    await this.#finish(Promise.all(reads))
    // Ids of this very millisecond are too young.
    const sweptAt = Date.now()
    await this.#finish(this.#swept())
    await this.#finish(this.#read(this.#start(), ['a', 'b']))
    const named = new Set<string>()
    const alive = new Map(
      Array.from(this.#store.present).filter(
        ([, { expiresAt }]) => expiresAt === undefined || expiresAt > this.#clock,
      ),
    )
    for (const [key, { value }] of alive) {
      if (!isUserKey(key)) continue
      const head = readHead(key, value)
      for (const part of head.kind === 'chain' ? partsOf(key, head) : []) named.add(part)
    }
    for (const part of named)
      if (!alive.has(part)) this.#violations.push('a head names a part that is not there')
    for (const key of alive.keys())
      if (!isUserKey(key) && !named.has(key) && Number.parseInt(key.slice(3, 15), 16) < sweptAt)
        this.#violations.push('a part is left that no head names')
  }

  async #finish(work: Promise<unknown>): Promise<void> {
    let isOver = false
    void work.then(
      () => (isOver = true),
      (error: unknown) => {
        isOver = true
        this.#violations.push(`at rest: ${String(error)}`)
      },
    )
    for (let round = 0; round < 10_000 && !isOver; round++) {
      if (this.#store.requests.busy) this.#store.requests.step()
      await settled()
    }
  }

  #judge(): void {
    const judgement = judge(this.#history)
    if (judgement.linearizable) return
    this.#violations.push(`${judgement.key}: no order explains ${JSON.stringify(judgement.stuckAt)}`)
  }
}

function unknownWrite({ type, key, version, ifVersion }: Mutation<Bytes>, calledAt: number) {
  const token = type === 'delete' ? undefined : version
  return {
    type: 'write',
    key,
    calledAt,
    returnedAt: Number.POSITIVE_INFINITY,
    token,
    ifToken: ifVersion,
    result: 'unknown',
  } as const
}

const filler = 'what does not change from one version to the next, or now and then a little. '

/** Some 700 bytes that tell their version at both ends. */
function valueOf(version: string, random: Random): Bytes {
  const middle = random.chance(0.05) ? `${random.next()}`.repeat(40) : filler.repeat(8 + random.below(2))
  return Buffer.from(`${version} ${middle} ${version}`)
}
