import { appendFile, mkdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { runStudy } from '@unikv/bench'
import { FolderClaim } from '@unikv/bench/report'
import { monotonicClock } from '@unikv/core/platform'
import { jsonLines } from '../progress/progress.ts'
import type { Progress } from '../progress/words.ts'

/** Facts about a run that do not change while it goes on. */
export interface LiveHead {
  readonly study: string
  readonly stores: readonly string[]
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** Files of a run that is under way, inside its result folder. */
export const liveFiles = { events: 'events.jsonl', result: 'result.json' } as const

/** The result so far takes at most this share of the time of a run, between its measurements. */
const mostShare = 0.02

type BetweenCells = NonNullable<Parameters<typeof runStudy>[1]['betweenCells']>

/**
 * Tells in the folder of a run how far it is, for `unikv dashboard`: each event as a line, and the result so far after measurements.
 * Lines are written by the thread pool of Node.js, about one a second. A folder that cannot be written changes nothing of the run.
 */
export class LiveFolder {
  readonly #folder: string
  /** The first folder that was made for it. */
  readonly #made: string | undefined
  #writing = Promise.resolve()
  /** Lines that wait for the one that is being written. */
  #waiting = ''
  #resultAt = Number.NEGATIVE_INFINITY
  #resultTookMs = 0

  private constructor(folder: string, made: string | undefined) {
    this.#folder = folder
    this.#made = made
  }

  /** @param folder that of the results, which this run has claimed */
  static async begin(folder: string, head: LiveHead): Promise<LiveFolder> {
    const own = FolderClaim.liveFolder(folder)
    return new LiveFolder(own, await begun(own, head).catch(() => undefined))
  }

  /** Told of each event. */
  readonly show: Progress['show'] = jsonLines({ error: (line) => this.#append(line) }).show

  /** Write the result so far, if it is time for it. */
  readonly betweenCells: BetweenCells = async (resultSoFar) => {
    const beganAt = monotonicClock()
    if (beganAt - this.#resultAt < Math.max(1_000, this.#resultTookMs / mostShare)) return
    await replaced(join(this.#folder, liveFiles.result), resultSoFar())
    this.#resultAt = monotonicClock()
    this.#resultTookMs = this.#resultAt - beganAt
  }

  /** The run is over: nothing of this is left. */
  async end(): Promise<void> {
    await this.#writing
    await rm(this.#folder, { recursive: true, force: true }).catch(() => {})
    const { length } = this.#made ?? this.#folder
    for (let place = dirname(this.#folder); place.length >= length; place = dirname(place))
      await rmdir(place).catch(() => {}) // unless a result lies there
  }

  #append(line: string): void {
    const isWriting = this.#waiting !== ''
    this.#waiting += line
    if (isWriting) return
    this.#writing = this.#writing.then(() => {
      const lines = this.#waiting
      this.#waiting = ''
      return appendFile(join(this.#folder, liveFiles.events), lines).catch(() => {})
    })
  }
}

async function begun(folder: string, head: LiveHead): Promise<string | undefined> {
  // Left by a run that was killed.
  await rm(folder, { recursive: true, force: true })
  const made = await mkdir(folder, { recursive: true })
  await writeFile(join(folder, liveFiles.events), `${JSON.stringify(head)}\n`)
  return made
}

/** A reader sees the former file or the new one. */
async function replaced(file: string, result: object): Promise<void> {
  const draft = `${file}.draft`
  await writeFile(draft, JSON.stringify(result))
  await rename(draft, file)
}
