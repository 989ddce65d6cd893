import { setTimeout as pause } from 'node:timers/promises'
import { type AnyLayer, isStoreError, StoreError } from '@unikv/core'
import { Random, settled, type Timers, withTimers } from '@unikv/test-kit/schedules'
import { Composition, type Process, type Target, type Value } from './composition.ts'
import { History, type Write } from './history.ts'
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

const keys = ['a', 'b', 'c'] as const
/** One key is busier, so that calls meet. */
const weighted = ['a', 'a', 'a', 'b', 'c'] as const
/** Turns of the event loop in which a call has to settle that was ended. */
const fewTurns = 40

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

interface Call {
  readonly name: string
  readonly process: number
  readonly abort: AbortController
  isSettled: boolean
}

class Program {
  readonly #random: Random
  readonly #timers: Timers
  readonly #time = new Time()
  readonly #composition: Composition
  readonly #history: History
  readonly #violations: string[] = []
  readonly #processes: Process[] = []
  readonly #calls = new Set<Call>()
  #operations = 0
  #isRefused = false
  #wasKilled = false
  #wasRestarted = false

  constructor(seed: number, timers: Timers, planted: () => readonly AnyLayer[]) {
    this.#random = new Random(seed)
    this.#timers = timers
    this.#composition = new Composition(this.#random, this.#time, planted)
    this.#history = new History(this.#time, this.#composition.staleMs)
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
    const violations = [...this.#violations, ...unhandled]
    return { title, violations, operations: this.#operations, isRefused: this.#isRefused }
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
    if (dice < 0.28) this.#start()
    else if (dice < 0.78) this.#step()
    else if (dice < 0.88) this.#time.pass(random.pick([1, 5, 20, 60]))
    else if (dice < 0.9) this.#timers.fire(random.pick([10, 50, 250, 1_000]))
    else if (dice < 0.91) this.#setClock()
    else if (dice < 0.92) this.#disturb()
    else if (dice < 0.96) for (const lane of this.#composition.lanes) lane.mode = 'up'
    else if (dice < 0.98) await this.#abort()
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

  // Calls

  #start(): void {
    if (this.#calls.size >= 6) return
    this.#operations++
    const place = this.#random.below(this.#processes.length)
    const { kv } = this.#processes[place] as Process
    const key = this.#random.pick(weighted)
    const dice = this.#random.next()
    if (dice < 0.45) void this.#read(place, kv, key)
    else if (dice < 0.52 && !this.#composition.lags) void this.#readMany(place, kv)
    else if (dice < 0.56) void this.#list(place, kv)
    else if (dice < 0.74) void this.#set(place, kv, key)
    else if (dice < 0.82) void this.#delete(place, kv, key)
    else if (dice < 0.88) void this.#setMany(place, kv)
    else if (dice < 0.98) void this.#update(place, kv, key)
    else void this.#clear(place, kv)
  }

  /** Make a call; what it settled with, or the error. */
  async #call<T>(
    name: string,
    place: number,
    make: (settings: object) => Promise<T>,
  ): Promise<T | StoreError> {
    const call: Call = { name, process: place, abort: new AbortController(), isSettled: false }
    this.#calls.add(call)
    try {
      return await make({ signal: call.abort.signal, timeoutMs: 3_600_000 })
    } catch (error) {
      if (isStoreError(error)) return error
      this.#violations.push(`${name} rejected with ${String(error)}`)
      return new StoreError('OUTCOME_UNKNOWN', String(error), { cause: error })
    } finally {
      call.isSettled = true
      this.#calls.delete(call)
    }
  }

  async #read(place: number, kv: Target, key: string): Promise<void> {
    const reader = this.#history.reader(place)
    const strong = this.#random.chance(0.1) && !this.#composition.lags ? { consistency: 'strong' } : {}
    const found = await this.#call('getEntry', place, (settings) =>
      kv.getEntry(key, { ...settings, ...strong }),
    )
    if (isStoreError(found)) return
    if (found?.meta?.stale === true) {
      if (!this.#history.wasWritten(key, found.value.id))
        this.#violations.push(`${key}: stale and never written`)
    } else this.#check(key, found?.value, reader)
  }

  async #readMany(place: number, kv: Target): Promise<void> {
    const reader = this.#history.reader(place)
    const found = await this.#call('getMany', place, (settings) => kv.getMany(keys, settings))
    if (!isStoreError(found)) for (const [i, key] of keys.entries()) this.#check(key, found[i], reader)
  }

  #check(key: string, value: Value | undefined, reader: ReturnType<History['reader']>): void {
    const wrong = this.#history.wrong(key, value?.id, reader)
    if (wrong !== undefined) this.#violations.push(wrong)
    if (value !== undefined && value.text !== textOf(value.id))
      this.#violations.push(`${key}: a spoiled value`)
  }

  async #list(place: number, kv: Target): Promise<void> {
    const reader = this.#history.reader(place)
    const listed = await this.#call('keys', place, async (settings) => {
      const all = new Set<string>()
      for await (const key of kv.keys(settings)) all.add(key)
      return all
    })
    if (isStoreError(listed)) return
    for (const key of keys) {
      const wrong = listed.has(key) ? undefined : this.#history.wrong(key, undefined, reader)
      if (wrong !== undefined && !this.#composition.lags) this.#violations.push(`a listing: ${wrong}`)
    }
  }

  async #set(place: number, kv: Target, key: string): Promise<void> {
    const ttlMs = this.#random.chance(0.2) ? 1 + this.#random.below(100) : undefined
    const value = this.#value()
    const write = this.#history.start(place, key, value.id, ttlMs)
    const result = await this.#call('set', place, (settings) => kv.set(key, value, { ...settings, ttlMs }))
    this.#ended(write, result)
  }

  async #delete(place: number, kv: Target, key: string): Promise<void> {
    const write = this.#history.start(place, key, undefined)
    this.#ended(write, await this.#call('delete', place, (settings) => kv.delete(key, settings)))
  }

  async #setMany(place: number, kv: Target): Promise<void> {
    const values = keys.map((key) => [key, this.#value()] as const)
    const writes = values.map(([key, { id }]) => this.#history.start(place, key, id))
    const results = await this.#call('setMany', place, (settings) => kv.setMany(values, settings))
    const each = isStoreError(results) ? (results.results as unknown[] | undefined) : results
    for (const [i, write] of writes.entries()) this.#ended(write, each?.[i] ?? results)
  }

  async #update(place: number, kv: Target, key: string): Promise<void> {
    if (kv.update === undefined) return
    const value = this.#value()
    const write = this.#history.start(place, key, value.id, 'keep')
    const update = kv.update.bind(kv)
    this.#ended(write, await this.#call('update', place, (settings) => update(key, () => value, settings)))
  }

  async #clear(place: number, kv: Target): Promise<void> {
    const writes = keys.map((key) => this.#history.start(place, key, undefined))
    const result = await this.#call('clear', place, (settings) => kv.clear({ ...settings, all: true }))
    // What ended early deleted some of them.
    for (const write of writes) if (!isStoreError(result)) this.#ended(write, result)
  }

  #value(): Value {
    const id = this.#history.nextId()
    return { id, text: textOf(id) }
  }

  #ended(write: Write, result: unknown): void {
    if (!isStoreError(result)) this.#history.acknowledge(write)
    else if (result.code !== 'OUTCOME_UNKNOWN' && result.code !== 'PARTIAL') write.isRefused = true
  }

  // Ends

  /** Some callers give up; each is told soon, whatever hangs. */
  async #abort(): Promise<void> {
    const ended = Array.from(this.#calls).filter(() => this.#random.chance(0.5))
    await this.#giveUp(ended)
  }

  async #giveUp(ended: readonly Call[]): Promise<void> {
    for (const { abort } of ended) abort.abort()
    for (let i = 0; i < fewTurns && ended.some((one) => !one.isSettled); i++) await settled()
    for (const one of ended) if (!one.isSettled) this.#violations.push(`${one.name} went on after its end`)
    for (const one of ended) this.#calls.delete(one)
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
    // Nobody is there who could hear an answer.
    for (const call of this.#calls) if (call.process === place) this.#calls.delete(call)
  }

  async #close(one: Process): Promise<void> {
    let isClosed = false
    const closing = one.kv.close().then(
      () => (isClosed = true),
      (error: unknown) => {
        isClosed = true
        // What a queue could not bring to its store is told.
        if (one.behind === undefined) this.#violations.push(`close rejected with ${String(error)}`)
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
      this.#violations.push(
        `close never ends (${this.#composition.lanes.map((one) => `${one.name} ${one.mode}`).join(', ')})`,
      )
    else await closing
  }

  /** Everything is mended and comes to its end; then the stores hold what was acknowledged. */
  async #end(): Promise<void> {
    await this.#giveUp(Array.from(this.#calls))
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
      this.#violations.push(`${this.#timers.waiting} timers are left`)
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
      this.#violations.push(`the mirror differs: ${JSON.stringify(compared)}`)
  }

  async #checkStore(): Promise<void> {
    const bare = this.#open(true)
    const reader = this.#history.reader(-1)
    for (const key of keys) {
      const found = await this.#driven('the last read', bare.kv.getEntry(key, { timeoutMs: 3_600_000 }))
      const wrong = this.#history.wrong(key, found?.value.id, reader)
      if (wrong !== undefined) this.#violations.push(`in the end ${wrong}`)
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
        this.#violations.push(`${name} rejected with ${String(error)}`)
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
    if (!isDone) this.#violations.push(`${name} never ends`)
    return result
  }
}

function textOf(id: number): string {
  return `value ${id} `.repeat(20)
}
