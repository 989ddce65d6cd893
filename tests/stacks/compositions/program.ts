import { type AnyLayer, isStoreError } from '@unikv/core'
import { Random, settled } from '@unikv/test-kit/schedules'
import { Callers, keys, type Place } from './callers.ts'
import { Composition, type OnLost, type Process } from './composition.ts'
import { checkEnd } from './end.ts'
import { History, outside } from './history.ts'
import { virtual } from './platform.ts'
import { ask, list, readMany, readOne } from './reads.ts'
import { Time } from './time.ts'
import { clear, compareAndSet, deleteOne, setOne, update, writeMany, writeOutside } from './writes.ts'

/** By how much a close may be late: time goes on by 20 ms, and deadlines are looked at every 10 ms. */
const lateMs = 60

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
  const { random } = Math
  const jitter = new Random(seed ^ 0x5eed)
  Math.random = () => jitter.next()
  try {
    virtual.restart()
    const program = new Program(seed, planted)
    await program.run()
    await settled()
    return program.outcome([...unhandled, ...virtual.thrown.map((error) => `uncaught: ${String(error)}`)])
  } finally {
    Math.random = random
    process.off('unhandledRejection', note)
  }
}

/** One program under way. */
class Program {
  readonly time = new Time()
  readonly composition: Composition
  readonly history: History
  readonly callers: Callers
  readonly processes: Process[] = []
  /** Those that were killed. */
  readonly killed: Process[] = []
  wasKilled = false
  wasRestarted = false
  readonly #random: Random
  #isRefused = false
  #bare: Process | undefined

  constructor(seed: number, planted: () => readonly AnyLayer[]) {
    this.#random = new Random(seed)
    this.composition = new Composition(this.#random, this.time, planted)
    const { staleMs, has } = this.composition
    this.history = new History(this.time, staleMs, has.skewMs)
    this.callers = new Callers(this.#random, this.time, this.history, this.composition)
  }

  async run(): Promise<void> {
    try {
      for (let i = 0; i < this.composition.processes; i++) this.processes.push(this.open(i))
    } catch (error) {
      if (!isStoreError(error) || error.code !== 'INVALID_CONFIG') throw error
      this.#isRefused = true
      return
    }
    if (this.composition.has.hasTags) this.#bare = this.open(0, true)
    const steps = 150 + this.#random.below(300)
    for (let i = 0; i < steps; i++) {
      await this.#act()
      await settled()
      await this.callers.checkDeadlines()
    }
    await checkEnd(this, this.#bare)
  }

  outcome(others: readonly string[]): Outcome {
    const { title } = this.composition
    const { operations } = this.callers
    const violations = [...this.callers.violations, ...others]
    return { title, violations, operations, isRefused: this.#isRefused }
  }

  /** Start a process, or another stack. */
  open(place: number, isBare = false): Process {
    const isThere = (version: string | undefined): boolean => this.composition.hasTaken(version)
    const onLost: OnLost = ({ key, version }, isClosed) =>
      this.history.loseOne(this.callers.named(place, key), version, isClosed ? isThere : () => true)
    return this.composition.open(place, onLost, isBare)
  }

  /** Let one request of a store that answers go one step further. */
  step(): boolean {
    const ready = this.composition.lanes.filter((lane) => lane.canStep)
    if (ready.length > 0) this.#random.pick(ready).step()
    return ready.length > 0
  }

  /** Close a process while everything goes on; it takes no longer than it may. */
  async close(one: Process, place: number): Promise<void> {
    const begunAt = this.time.mono()
    let isClosed = false
    const end = (error?: Error): void => {
      isClosed = true
      // What a queue could not bring to its store is told.
      if (error !== undefined && one.behind === undefined)
        this.callers.note(`close rejected with ${String(error)}`)
    }
    this.callers.closing.add(place)
    one.kv.close().then(() => end(), end)
    const mostMs = this.composition.closeMs + lateMs
    while (!isClosed && this.time.mono() - begunAt < 2 * mostMs) {
      this.step()
      await this.time.pass(20)
      for (let turn = 0; turn < 4; turn++) await settled()
    }
    const tookMs = this.time.mono() - begunAt
    const modes = this.composition.lanes.map(({ name, mode }) => `${name} ${mode}`).join(', ')
    if (!isClosed) this.callers.note(`close never ends (${modes})`)
    else if (tookMs > mostMs) this.callers.note(`close took ${tookMs} ms (${modes})`)
    await this.callers.checkClosed(place)
    this.callers.closing.delete(place)
  }

  async #act(): Promise<void> {
    const random = this.#random
    this.composition.bus?.step()
    const dice = random.next()
    if (dice < 0.28) this.#call()
    else if (dice < 0.76) this.step()
    else if (dice < 0.88) await this.time.pass(random.pick([1, 5, 20, 60]))
    else if (dice < 0.895) await this.time.pass(random.pick([250, 1_000]))
    else if (dice < 0.9) await this.time.pass(6_000)
    else if (dice < 0.91) this.#setClock()
    else if (dice < 0.925) this.#disturb()
    else if (dice < 0.955) for (const lane of this.composition.lanes) lane.mode = 'up'
    else if (dice < 0.975) await this.callers.giveUp(0.5)
    else if (dice < 0.98) await this.#restart()
    else this.composition.replicate()
  }

  #call(): void {
    const at = this.callers.place(this.processes)
    if (at === undefined) return
    // One key is busier, so that calls meet.
    const key = this.#random.pick(['a', 'a', 'a', 'b', 'c'] as const)
    const { lags, isApart } = this.composition
    const { callers } = this
    const dice = this.#random.next()
    if (dice < 0.4) void readOne(callers, at, key)
    else if (dice < 0.46) void (lags ? readOne(callers, at, key) : readMany(callers, at))
    else if (dice < 0.5) void (lags ? readOne(callers, at, key) : ask(callers, at, key))
    else if (dice < 0.55) void list(callers, at)
    else if (isApart) this.#writeOwn(at, dice)
    else this.#write(at, key, dice)
  }

  #write(at: Place, key: string, dice: number): void {
    const { callers } = this
    if (dice < 0.7) void setOne(callers, at, key)
    else if (dice < 0.76) void deleteOne(callers, at, key)
    else if (dice < 0.82) void writeMany(callers, at)
    else if (dice < 0.87) void compareAndSet(callers, at, key)
    else if (dice < 0.95) void update(callers, at, key)
    else if (dice < 0.97) void clear(callers, at)
    else this.#writeOutside(key)
  }

  /** A queue overwrites what others write to its keys: see decision 0014. */
  #writeOwn(at: Place, dice: number): void {
    const key = keys[at.place] as string
    if (dice < 0.85) void setOne(this.callers, at, key)
    else void deleteOne(this.callers, at, key)
  }

  #writeOutside(key: string): void {
    const bare = this.#bare
    if (bare === undefined) return
    const told = Array.from(this.processes)
    const tell = async (): Promise<readonly number[]> => {
      const each = await Promise.all(told.map((one) => invalidate(one)))
      return each.flatMap((isTold, place) => (isTold && this.processes[place] === told[place] ? [place] : []))
    }
    void writeOutside(this.callers, { place: outside, kv: bare.kv }, tell, key)
  }

  /** Two stores remove what has expired at times of their own, and a clock that is set back would show it. */
  #setClock(): void {
    const byMs = this.#random.pick([-5_000, -50, 50, 5_000])
    if (!this.composition.hasTwoStores) this.time.set(byMs)
  }

  #disturb(): void {
    const { bus, lanes } = this.composition
    if (bus !== undefined && this.#random.chance(0.2)) bus.isHung = !bus.isHung
    else this.#random.pick(lanes).mode = this.#random.pick(['down', 'hung'] as const)
  }

  /** A process is closed or killed, and another one takes its place. */
  async #restart(): Promise<void> {
    const place = this.#random.below(this.processes.length)
    const isKilled = this.#random.chance(0.5)
    this.wasRestarted = true
    // Stacks of one process are killed together.
    const places = isKilled && this.composition.has.datasets === 2 ? [0, 1] : [place]
    for (const one of places) {
      const old = this.processes[one] as Process
      if (isKilled) this.#kill(old, one)
      else await this.close(old, one)
    }
    for (const one of places) this.processes[one] = this.open(one)
  }

  #kill(old: Process, place: number): void {
    this.wasKilled = true
    old.kill()
    this.killed.push(old)
    // After a kill the journal has one write of a key, which the store may refuse: see decision 0068.
    if (
      this.composition.isInMemory ||
      (this.composition.has.isPicky && this.composition.has.behind === 'journal')
    )
      for (const key of this.composition.isApart ? [keys[place] as string] : keys)
        this.history.lose(this.callers.named(place, key))
    this.callers.forget(place)
  }
}

/** Whether all caches of a process have forgotten what they had: those nearest to the store first. */
async function invalidate({ tagged }: Process): Promise<boolean> {
  try {
    for (const one of tagged) await one.invalidateTags('all')
    return true
  } catch {
    return false
  }
}
