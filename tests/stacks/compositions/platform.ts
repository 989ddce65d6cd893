// Import this before the library: what it takes of its platform when it is loaded is then in the hands of programs, deadlines
// included.
import { syncBuiltinESMExports } from 'node:module'
import { performance } from 'node:perf_hooks'
import timers from 'node:timers'

interface Alarm {
  dueAt: number
  /** Again after so many milliseconds. */
  readonly everyMs: number | undefined
  readonly run: () => void
  /** Whether it would keep a process alive. */
  holds: boolean
  unref(): Alarm
  ref(): Alarm
  refresh(): Alarm
}

/** The monotonic clock of the library and all its timers. Nothing comes before its time, and time passes when it is told to. */
export class VirtualTimers {
  now = 1_000_000
  /** What timers threw: the end of a process. */
  readonly thrown: unknown[] = []
  readonly #alarms = new Set<Alarm>()

  /** Timers that would keep a process alive. */
  get held(): number {
    return Array.from(this.#alarms).filter(({ holds }) => holds).length
  }

  /** All timers, those of deadlines too. */
  get waiting(): number {
    return this.#alarms.size
  }

  set(run: () => void, delayMs: number, everyMs?: number): Alarm {
    const alarm: Alarm = {
      dueAt: this.now + Math.max(1, delayMs),
      everyMs,
      run,
      holds: true,
      unref: () => Object.assign(alarm, { holds: false }),
      ref: () => Object.assign(alarm, { holds: true }),
      refresh: () => {
        alarm.dueAt = this.now + Math.max(1, delayMs)
        this.#alarms.add(alarm)
        return alarm
      },
    }
    this.#alarms.add(alarm)
    return alarm
  }

  clear(alarm: unknown): void {
    this.#alarms.delete(alarm as Alarm)
  }

  /** Go on by at most so many milliseconds, up to the next timer, and run what is due. How many milliseconds it were. */
  next(mostMs: number): number {
    const from = this.now
    let at = from + mostMs
    for (const { dueAt } of this.#alarms) at = Math.min(at, dueAt)
    this.now = Math.max(from, at)
    for (const alarm of Array.from(this.#alarms)) if (alarm.dueAt <= this.now) this.#run(alarm)
    return this.now - from
  }

  /** A program begins, at a round time: what another one left behind never comes. */
  restart(): void {
    // The beats of deadlines go on, as they are of the process.
    for (const alarm of this.#alarms) if (alarm.everyMs === undefined) this.#alarms.delete(alarm)
    this.now = Math.ceil((this.now + 1) / 1_000_000) * 1_000_000
    this.thrown.length = 0
  }

  #run(alarm: Alarm): void {
    if (!this.#alarms.has(alarm)) return
    if (alarm.everyMs === undefined) this.#alarms.delete(alarm)
    else alarm.dueAt = this.now + alarm.everyMs
    try {
      alarm.run()
    } catch (error) {
      this.thrown.push(error)
    }
  }
}

/** Those of this process. */
export const virtual: VirtualTimers = new VirtualTimers()

const { setTimeout, clearTimeout, setInterval, clearInterval } = timers
Object.assign(timers, {
  setTimeout: (run: () => void, ms: number) => virtual.set(run, ms),
  clearTimeout: (alarm: unknown) => virtual.clear(alarm),
  setInterval: (run: () => void, ms: number) => virtual.set(run, ms, ms),
  clearInterval: (alarm: unknown) => virtual.clear(alarm),
})
performance.now = () => virtual.now
syncBuiltinESMExports()
const { monotonicClock } = await import('@unikv/core/platform')
Object.assign(timers, { setTimeout, clearTimeout, setInterval, clearInterval })
syncBuiltinESMExports()
// What stands on the prototype is there again.
delete (performance as { now?: unknown }).now
if (monotonicClock() !== virtual.now)
  throw new Error('The library was loaded before its clocks were replaced.')
