import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { clearInterval, pause, performance, setImmediate, setInterval, wallClock } from '@unikv/core/platform'
import { coarsenessOf, isOpening, pollMs, sleep } from './announcement.ts'

/*
 * A writer says that it writes by a file beside the data, `<data>-writing-<random>`: its time is renewed while writes are
 * under way and a moment longer, and long past at rest. It first makes the mark, then looks whether another process is about
 * to open. A process that opens announces that first, and then looks for marks: one of the two sees the other. While the
 * mark stands, no process opens, and no write needs to look again.
 *
 * A process whose event loop stands still can neither renew its mark nor lay it down, so a mark ends by itself. Writes that
 * were on their way to the disk have arrived by then; others look again (`renew`).
 */

/** The time of a mark at rest, in seconds. */
const restingTime = 1_000_000_000
/** Between two looks after a mark that stands. */
const lookMs = 50
/** A process that finds its own mark so old stood still: it renews the mark and looks before it goes on. */
const oldMs = 150
/** To others, a mark so old is at rest, or of a process that ended or stands still. */
const staleMs = 500
/** One so old is removed. A process that needs it makes it again. */
const forgottenMs = 86_400_000
/** A process whose writes do not end is waited for no longer. */
const patienceMs = 5_000

/** The writes of this thread that are under way in an environment. */
export class Writing {
  readonly #data: string
  readonly #path: string
  #underWay = 0
  /** Whether anything was under way since the last look after the mark. */
  #isUsed = false
  #markedAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #pass: Promise<void> | undefined
  #whenDrained: (() => void)[] = []
  #isClosed = false
  #renewsNextTurn = false
  readonly #renew = (): void => {
    this.#renewsNextTurn = false
    if (!this.#isClosed) unfailing(() => this.renew())
  }

  constructor(data: string) {
    this.#data = data
    this.#path = `${data}${infix}${randomBytes(8).toString('hex')}`
  }

  /**
   * Begin to write: at once, or when the promise resolves, as somebody opens the environment now. `now` is of
   * `performance.now()`.
   */
  begin(now: number = performance.now()): Promise<void> | undefined {
    if (this.#pass === undefined && this.#isOldAt(now) && this.#markAndLook()) this.#pass = this.#letPass()
    if (this.#pass !== undefined) return this.#pass.then(() => this.begin())
    this.#enter()
    return undefined
  }

  /** The same for a write that answers at once. */
  beginNow(): void {
    this.renew()
    this.#enter()
  }

  /** Go on with writes that have begun and are not on their way to the disk yet, if need be after another process opened. */
  renew(): void {
    while (this.#isOldAt(performance.now()) && this.#markAndLook()) {
      // Writes under way may not have ended: the mark is not laid down, it ends by itself.
      if (this.#underWay === 0) this.#rest()
      while (isOpening(this.#data)) sleep(pollMs)
      this.#markedAt = Number.NEGATIVE_INFINITY
    }
  }

  /** The same before what lmdb-js is asked to do after this call, which it begins in the next turn. */
  renewNextTurn(): void {
    if (!this.#renewsNextTurn) setImmediate(this.#renew)
    this.#renewsNextTurn = true
  }

  /** So many writes have ended, however they did. */
  end(writes = 1): void {
    this.#underWay -= writes
    if (this.#underWay > 0 || this.#whenDrained.length === 0) return
    for (const resolve of this.#whenDrained) resolve()
    this.#whenDrained = []
  }

  /** Resolves when nothing is under way. */
  async drained(): Promise<void> {
    while (this.#underWay > 0) await new Promise<void>((resolve) => this.#whenDrained.push(resolve))
  }

  /** Nothing will be written any more. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    fs.rmSync(this.#path, { force: true })
  }

  #isOldAt(now: number): boolean {
    return now - this.#markedAt > oldMs
  }

  #enter(): void {
    this.#underWay++
    this.#isUsed = true
  }

  /** Mark, and look whether somebody is about to open. */
  #markAndLook(mark: (path: string, time: number) => void = makeOrSetTime): boolean {
    mark(this.#path, wallClock() / 1_000)
    this.#markedAt = performance.now()
    this.#timer ??= setInterval(() => this.#tick(), lookMs).unref()
    return isOpening(this.#data)
  }

  #tick(): void {
    if (!this.#isUsed) this.#rest()
    // Made by calls alone: what was removed, folder and all, must not come back by itself.
    else if (unfailing(() => this.#markAndLook(setTime))) this.#pass ??= this.#letPass()
    this.#isUsed = this.#underWay > 0
  }

  /** Let others open, after the writes under way have ended. */
  async #letPass(): Promise<void> {
    await this.drained()
    this.#rest()
    while (unfailing(() => isOpening(this.#data))) await pause(pollMs)
    this.#pass = undefined
  }

  #rest(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#markedAt = Number.NEGATIVE_INFINITY
    unfailing(() => setTime(this.#path, restingTime))
  }
}

/** No caller waits for it: what fails here fails again in `begin`. */
export function unfailing<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** Wait until no other process writes. `onWait` is called now and then. */
export function awaitRest(data: string, onWait: () => void): void {
  const giveUpAt = performance.now() + patienceMs
  for (const mark of marksBeside(data))
    while (isFresh(mark) && performance.now() < giveUpAt) {
      onWait()
      sleep(pollMs)
    }
}

const infix = '-writing-'

function marksBeside(data: string): readonly string[] {
  const start = `${basename(data)}${infix}`
  const names = fs.readdirSync(dirname(data)).filter((name) => name.startsWith(start))
  return names.map((name) => join(dirname(data), name))
}

function isFresh(mark: string): boolean {
  const stats = fs.statSync(mark, { throwIfNoEntry: false })
  if (stats === undefined) return false
  if (wallClock() - stats.ctimeMs > forgottenMs) fs.rmSync(mark, { force: true })
  return Math.abs(wallClock() - stats.mtimeMs) < staleMs + coarsenessOf(stats.mtimeMs)
}

/** Set the time of a file that is there, in seconds. */
function setTime(path: string, time: number): void {
  fs.utimesSync(path, time, time)
}

/** The same of one that is made if it is not there. */
function makeOrSetTime(path: string, time: number): void {
  try {
    setTime(path, time)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    fs.closeSync(fs.openSync(path, 'a'))
    setTime(path, time)
  }
}
