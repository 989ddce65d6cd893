import { setTimeout as pause } from 'node:timers/promises'
import { type AnyLayer, isStoreError } from '@unikv/core'
import { Random, settled, type Timers, withTimers } from '@unikv/test-kit/schedules'
import { Callers, keys } from './callers.ts'
import { Composition, type Process } from './composition.ts'
import { History, nobody } from './history.ts'
import type { Lane } from './lane.ts'
import { Time } from './time.ts'

/** What one program did, and what it found wrong. */
export interface Outcome {
  readonly title: string
  readonly violations: readonly string[]
  readonly operations: number
  /** Whether the library refused the stack when it was made. */
  readonly isRefused: boolean
}

/** Run the program of this seed: a random stack, random calls, latencies, failures, aborts, clocks, ends of processes. */
export async function runProgram(
  seed: number,
  planted: () => readonly AnyLayer[] = () => [],
): Promise<Outcome> {
  const unhandled: string[] = []
  const note = (reason: unknown): void => void unhandled.push(`unhandled rejection: ${String(reason)}`)
  process.on('unhandledRejection', note)
  try {
    return await withTimers(async (timers) => {
      const program = new Program(seed, timers, planted)
      await program.run()
      await settled()
      return program.outcome(unhandled)
    })
  } finally {
    process.off('unhandledRejection', note)
  }
}

class Program {
  readonly #random: Random
  readonly #timers: Timers
  readonly #time = new Time()
  readonly #composition: Composition
  readonly #history: History
  readonly #callers: Callers
  readonly #processes: Process[] = []
  #isRefused = false
  #wasKilled = false
  #wasRestarted = false

  constructor(seed: number, timers: Timers, planted: () => readonly AnyLayer[]) {
    this.#random = new Random(seed)
    this.#timers = timers
    this.#composition = new Composition(this.#random, this.#time, planted)
    this.#history = new History(this.#time, this.#composition.staleMs)
    this.#callers = new Callers(this.#random, this.#history, this.#composition.lags)
  }

  async run(): Promise<void> {
    try {
      for (let i = 0; i < this.#composition.processes; i++) this.#processes.push(this.#open())
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'INVALID_CONFIG') throw error
      this.#isRefused = true
      return
    }
    const steps = 150 + this.#random.below(300)
    for (let i = 0; i < steps; i++) {
      await this.#act()
      await settled()
    }
    await this.#end()
  }

  outcome(unhandled: readonly string[]): Outcome {
    const { title } = this.#composition
    const { operations } = this.#callers
    const violations = [...this.#callers.violations, ...unhandled]
    return { title, violations, operations, isRefused: this.#isRefused }
  }

  #open(isBare = false): Process {
    // A canonical key of the root ends in the key.
    return this.#composition.open((key) => this.#lost(key), isBare)
  }

  #lost(canonical: string): void {
    const key = keys.find((one) => canonical.endsWith(one))
    if (key === undefined) this.#history.loseAll()
    else this.#history.lose(key)
  }

  async #act(): Promise<void> {
    const random = this.#random
    this.#composition.bus?.step()
    const dice = random.next()
    if (dice < 0.28) this.#callers.start(this.#processes.map(({ kv }) => kv))
    else if (dice < 0.78) this.#step()
    else if (dice < 0.88) this.#time.pass(random.pick([1, 5, 20, 60]))
    else if (dice < 0.9) this.#timers.fire(random.pick([10, 50, 250, 1_000]))
    else if (dice < 0.91) this.#setClock()
    else if (dice < 0.92) this.#disturb()
    else if (dice < 0.96) for (const lane of this.#composition.lanes) lane.mode = 'up'
    else if (dice < 0.98) await this.#callers.giveUp(0.5)
    else if (dice < 0.985) await this.#restart()
    else this.#composition.replicate()
  }

  /** Two stores remove what has expired at times of their own, and a clock that is set back would show it. */
  #setClock(): void {
    const byMs = this.#random.pick([-5_000, -50, 50, 5_000])
    if (!this.#composition.hasTwoStores) this.#time.set(byMs)
  }

  #step(): void {
    const ready = this.#composition.lanes.filter((lane) => lane.canStep)
    if (ready.length > 0) this.#random.pick(ready).step()
  }

  #disturb(): void {
    const { bus } = this.#composition
    if (bus !== undefined && this.#random.chance(0.2)) bus.isHung = !bus.isHung
    else this.#random.pick(this.#composition.lanes).mode = this.#random.pick(['down', 'hung'] as const)
  }

  /** A process is closed or killed, and another one takes its place. */
  async #restart(): Promise<void> {
    const place = this.#random.below(this.#processes.length)
    const old = this.#processes[place] as Process
    this.#wasRestarted = true
    if (this.#random.chance(0.5)) await this.#close(old)
    else this.#kill(old, place)
    this.#processes[place] = this.#open()
  }

  #kill(old: Process, place: number): void {
    this.#wasKilled = true
    old.kill()
    if (this.#composition.isInMemory) this.#history.loseAll()
    this.#callers.forget(place)
  }

  async #close(one: Process): Promise<void> {
    let isClosed = false
    const closing = one.kv.close().then(
      () => (isClosed = true),
      (error: unknown) => {
        isClosed = true
        // What a queue could not bring to its store is told.
        if (one.behind === undefined) this.#callers.violations.push(`close rejected with ${String(error)}`)
      },
    )
    for (let i = 0; i < 60 && !isClosed; i++) {
      this.#step()
      this.#time.pass(100)
      this.#timers.fire(Number.POSITIVE_INFINITY)
      for (let turn = 0; turn < 4; turn++) await settled()
    }
    // Deadlines of requests are of the real time.
    for (let i = 0; i < 300 && !isClosed; i++) {
      await pause(10)
      this.#timers.fire(Number.POSITIVE_INFINITY)
    }
    if (!isClosed)
      this.#callers.violations.push(
        `close never ends (${this.#composition.lanes.map((one) => `${one.name} ${one.mode}`).join(', ')})`,
      )
    else await closing
  }

  /** Everything is mended and comes to its end; then the stores hold what was acknowledged. */
  async #end(): Promise<void> {
    await this.#callers.giveUp(1)
    for (const lane of this.#composition.lanes) lane.heal()
    if (this.#composition.bus !== undefined) this.#composition.bus.isHung = false
    for (const { behind } of this.#processes)
      if (behind !== undefined) await this.#driven('flush', behind.flush({ timeoutMs: 3_600_000 }))
    await this.#checkMirror()
    for (const one of this.#processes) await this.#close(one)
    await this.#checkStore()
    await this.#checkTimers()
  }

  /** What still waits for an answer ends by itself, and begins nothing new. */
  async #checkTimers(): Promise<void> {
    for (let i = 0; i < 20 && this.#timers.waiting > 0; i++) {
      this.#timers.fire(Number.POSITIVE_INFINITY)
      await settled()
    }
    if (!this.#wasKilled && this.#timers.waiting > 0)
      this.#callers.violations.push(`${this.#timers.waiting} timers are left`)
  }

  async #checkMirror(): Promise<void> {
    if (this.#wasKilled || this.#processes.length > 1) return
    const pair = this.#processes[0]?.mirror
    if (pair === undefined) return
    // Whatever may still take effect has done so: a key in doubt is looked at once more.
    for (let i = 0; i < 3; i++) {
      this.#time.pass(3_000)
      this.#timers.fire(Number.POSITIVE_INFINITY)
      await this.#driven('a pause', settled())
    }
    await this.#driven('repair', pair.repair())
    // What a process owed that is closed is known to nobody.
    if (pair.stats().mustResync || this.#wasRestarted) await this.#driven('resync', pair.resync())
    const compared = await this.#driven('verify', pair.verify())
    const { missing = 0, different = 0, extra = 0 } = (compared ?? {}) as Record<string, number>
    if (missing + different + extra > 0)
      this.#callers.violations.push(`the mirror differs: ${JSON.stringify(compared)}`)
  }

  async #checkStore(): Promise<void> {
    const bare = this.#open(true)
    const reader = this.#history.reader(nobody)
    for (const key of keys) {
      const found = await this.#driven('the last read', bare.kv.getEntry(key, { timeoutMs: 3_600_000 }))
      const wrong = this.#history.wrong(key, found?.value.id, reader)
      if (wrong !== undefined) this.#callers.violations.push(`in the end ${wrong}`)
    }
    await this.#driven('the last close', bare.kv.close())
  }

  /** Let everything go on until this ends. */
  async #driven<T>(name: string, work: Promise<T>): Promise<T | undefined> {
    let isDone = false
    let result: T | undefined
    work.then(
      (value) => {
        result = value
        isDone = true
      },
      (error: unknown) => {
        isDone = true
        this.#callers.violations.push(`${name} rejected with ${String(error)}`)
      },
    )
    for (let i = 0; i < 3_000 && !isDone; i++) {
      if (this.#composition.lanes.some((lane: Lane) => lane.canStep)) this.#step()
      else {
        this.#time.pass(50)
        this.#timers.fire(Number.POSITIVE_INFINITY)
      }
      this.#composition.bus?.step()
      await settled()
    }
    if (!isDone) this.#callers.violations.push(`${name} never ends`)
    return result
  }
}
