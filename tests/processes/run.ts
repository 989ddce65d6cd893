import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectCacheOptions } from '@unikv/cache'
import { type Outage, type Rejection, unexcused } from './excuses.ts'
import { Harm, type HarmSetting } from './harm.ts'
import { testimony } from './journal.ts'
import { acknowledgedBySight, judge, type Violation } from './judge.ts'
import type { MixSetting } from './mix.ts'
import type { BothStats } from './protocol.ts'
import type { FarOptions, StackSetting } from './stack.ts'
import { Worker } from './worker.ts'

/** A run of several processes that read and write the same keys. */
export interface RunSetting extends HarmSetting, Pick<MixSetting, 'forMs' | 'thinkMs'> {
  /** Where the program lies, and journals are written. */
  readonly folder: string
  readonly script: string
  readonly sourceUrl: string
  readonly cacheUrl: string
  readonly seed: number
  readonly processes: number
  /** In all. */
  readonly calls: number
  readonly far: FarOptions | undefined
  readonly near?: ObjectCacheOptions | undefined
  readonly bus?: StackSetting['bus']
  readonly outages?: readonly Outage[]
}

/** What came out of a run. */
export interface RunResult {
  readonly reads: number
  readonly writes: number
  readonly unknown: number
  readonly rejected: number
  readonly violations: readonly Violation[]
  /** Those that are older than writes of which all were told in time. */
  readonly despiteTold: readonly Violation[]
  /** How long a read was older, at most, than a write of unknown outcome that somebody had seen; or than any other. */
  readonly behindSightMs: number
  readonly unexcused: readonly Rejection[]
  /** Calls that had the whole time and no answer. */
  readonly outOfTime: number
  readonly killed: number
  readonly stopped: number
  readonly faults: number
  readonly totals: Totals
}

/** Sums over the processes that were not killed. */
export interface Totals {
  localHits: number
  /** Revalidations of the local tier. */
  confirmed: number
  hits: number
  leaseWaits: number
  voids: number
  unmarkedWrites: number
  storeErrors: number
  /** Of the bus. */
  invalidations: number
  busVoids: number
  untold: number
  /** The greatest of them. */
  worstStaleMs: number
}

const keys: readonly string[] = Array.from({ length: 24 }, (_, i) => `key ${i}`)
const timeoutMs = 10_000

/** Let processes run, and judge what they saw. */
export async function run(setting: RunSetting): Promise<RunResult> {
  return new Run(setting).run()
}

class Run {
  readonly #setting: RunSetting
  readonly #dataset: string
  readonly #workers = new Map<number, Worker>()
  readonly #harm: Harm
  readonly #totals: Totals = {
    localHits: 0,
    confirmed: 0,
    hits: 0,
    leaseWaits: 0,
    voids: 0,
    unmarkedWrites: 0,
    storeErrors: 0,
    invalidations: 0,
    busVoids: 0,
    untold: 0,
    worstStaleMs: 0,
  }
  #journals = ''
  #started = 0
  #isOver = false

  constructor(setting: RunSetting) {
    this.#setting = setting
    this.#harm = new Harm(setting, setting.seed, this.#workers)
    this.#dataset = `run${setting.seed}_${process.hrtime.bigint()}`
  }

  async run(): Promise<RunResult> {
    const { folder, processes } = this.#setting
    this.#journals = await mkdtemp(join(folder, 'journals-'))
    const places = Array.from({ length: processes }, (_, place) => this.#place(place))
    this.#harm.start()
    try {
      await Promise.all(places)
    } finally {
      this.#isOver = true
      for (const worker of this.#workers.values()) void worker.kill()
      await this.#harm.end()
    }
    return this.#result()
  }

  /** One process after the other, until one has done its share. */
  async #place(place: number): Promise<void> {
    const url = await this.#harm.urlFor(place, this.#setting.cacheUrl)
    for (;;) {
      const worker = this.#start(url)
      this.#workers.set(place, worker)
      const stats = await worker.over
      this.#workers.delete(place)
      if (stats === undefined && !this.#isOver) continue
      if (stats !== undefined) this.#add(stats)
      return
    }
  }

  #add({ near, far }: BothStats): void {
    const totals = this.#totals
    for (const name of ['hits', 'leaseWaits', 'voids', 'unmarkedWrites', 'storeErrors'] as const)
      totals[name] += far?.[name] ?? 0
    totals.localHits += near?.hits ?? 0
    totals.confirmed += near?.revalidations ?? 0
    totals.invalidations += near?.bus?.invalidations ?? 0
    totals.busVoids += near?.bus?.voids ?? 0
    totals.untold += near?.bus?.untold ?? 0
    totals.worstStaleMs = Math.max(totals.worstStaleMs, near?.bus?.worstStaleMs ?? 0)
  }

  #start(cacheUrl: string): Worker {
    const { script, seed, sourceUrl, far, near, bus, processes, calls, forMs, thinkMs } = this.#setting
    const number = this.#started++
    const name = `p${number}`
    return new Worker(script, {
      seed: seed * 1_000 + number,
      stack: { sourceUrl, cacheUrl, dataset: this.#dataset, near, far, bus },
      delayMs: 4,
      mix: {
        keys,
        callers: 8,
        calls: Math.ceil(calls / processes),
        timeoutMs,
        forMs,
        thinkMs,
        journal: join(this.#journals, name),
        name,
      },
    })
  }

  #result(): RunResult {
    const { writes, reads, rejections } = testimony(this.#journals)
    const bySight = judge(acknowledgedBySight(writes, reads), reads)
    return {
      reads: reads.length,
      writes: writes.length,
      unknown: writes.filter(({ endMs, isRefused }) => endMs === undefined && !isRefused).length,
      rejected: rejections.length,
      violations: judge(writes, reads),
      despiteTold: judge(writes, reads, ({ isUntold }) => isUntold !== true),
      behindSightMs: longest(bySight),
      unexcused: unexcused(rejections, this.#setting.outages),
      outOfTime: rejections.filter(
        (one) => one.timeoutMs === timeoutMs && one.endMs - one.startMs >= timeoutMs,
      ).length,
      killed: this.#harm.killed,
      stopped: this.#harm.stopped,
      faults: this.#harm.faults,
      totals: this.#totals,
    }
  }
}

/** How long what was read was old, at most. */
export function longest(violations: readonly Violation[]): number {
  return violations.reduce((most, { staleForMs }) => Math.max(most, staleForMs), 0)
}
