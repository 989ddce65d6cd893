import { type Bytes, compose, type Store } from '@unikv/core'
import { Random, settled, withTimers } from '@unikv/test-kit/schedules'
import { type DeltaLayer, type DeltaOptions, type DeltaStats, delta, sweepDeltas } from '../../src/index.ts'
import { Callers } from './callers.ts'
import type { Careless } from './careless.ts'
import { ControlledStore, type ProcessStore } from './controlled-store.ts'
import { Mutations } from './mutations.ts'
import { wrongParts } from './rest.ts'
import { Witness } from './witness.ts'

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
  readonly #mutations: Mutations
  readonly #witness: Witness
  readonly #callers: Callers
  readonly #mostCalls: number
  readonly #conditionalRead: boolean
  readonly #killShare: number
  #clock = 1_000_000
  #kills = 0

  constructor(seed: number, options: ScheduleOptions) {
    const random = new Random(seed)
    this.#random = random
    this.#options = options
    this.#mostCalls = random.pick([1, 2, 5])
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
    this.#witness = new Witness(() => this.#store.requests.failures > 0)
    this.#mutations = new Mutations({
      random,
      clock: () => this.#clock,
      present: () => this.#store.present,
      expiry: options.expiry === true,
    })
    this.#callers = new Callers(random, this.#mutations, this.#witness)
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
    if (this.#options.expiry !== true) this.#witness.judge()
  }

  outcome(): Outcome {
    const stats = { deltas: 0, bases: 0, conflicts: 0, overtaken: 0, partsRemoved: 0 }
    for (const layer of this.#layers)
      for (const one of layer.stats())
        for (const name of Object.keys(stats) as (keyof typeof stats)[]) stats[name] += one[name]
    const { failures } = this.#store.requests
    return {
      violations: this.#witness.violations,
      operations: this.#witness.operations,
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
    const stored = careless(below, (version) => this.#mutations.free.has(version))
    return { below, store: compose(stored, [layer] as never) as Store<Bytes> }
  }

  #act(): void {
    const random = this.#random
    if (random.chance(this.#killShare)) this.#kill()
    const dice = random.next()
    if (dice < 0.2 && this.#callers.underWay < this.#mostCalls)
      void this.#callers.call(random.pick(this.#processes).store)
    else if (dice < 0.95 && this.#store.requests.busy) this.#store.requests.step()
    else if (dice < 0.97) this.#store.requests.applyLate()
    else if (dice < 0.975) this.#callers.abort()
    else if (dice < 0.985) this.#clock += random.pick([1, 50, 500])
    else if (dice < 0.99) this.#sweep()
  }

  /** Only when nobody is between a part and its head: that is what the grace time stands for. */
  #sweep(): void {
    if (this.#callers.underWay > 0 || this.#store.requests.busy || this.#store.requests.isInDoubt) return
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
    this.#callers.underWay = 0
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
    this.#witness.violations.push('it never comes to rest')
  }

  /** Everything is read by each process and by a new one; then no part is there that no head names. */
  async #checkAtRest(): Promise<void> {
    const reads = [...this.#processes, this.#start()].map((process) =>
      this.#callers.read(process.store, ['a', 'b']),
    )
    await this.#finish(Promise.all(reads))
    // Ids of this very millisecond are too young.
    const sweptAt = Date.now()
    await this.#finish(this.#swept())
    await this.#finish(this.#callers.read(this.#start().store, ['a', 'b']))
    const alive = new Map(
      Array.from(this.#store.present).filter(
        ([, { expiresAt }]) => expiresAt === undefined || expiresAt > this.#clock,
      ),
    )
    this.#witness.violations.push(...wrongParts(alive, sweptAt))
  }

  async #finish(work: Promise<unknown>): Promise<void> {
    let isOver = false
    void work.then(
      () => (isOver = true),
      (error: unknown) => {
        isOver = true
        this.#witness.violations.push(`at rest: ${String(error)}`)
      },
    )
    for (let round = 0; round < 10_000 && !isOver; round++) {
      if (this.#store.requests.busy) this.#store.requests.step()
      await settled()
    }
  }
}
