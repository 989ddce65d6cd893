import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { StoreCacheOptions } from '@unikv/cache'
import { type FaultProxy, faultProxy } from '@unikv/test-kit'
import { type Outage, type Rejection, unexcused } from './excuses.ts'
import { testimony } from './journal.ts'
import { judge, type Violation } from './judge.ts'
import { Random } from './random.ts'
import { Worker } from './worker.ts'

/** A run of several processes that read and write the same keys. */
export interface RunSetting {
  /** Where the program lies, and journals are written. */
  readonly folder: string
  readonly script: string
  readonly sourceUrl: string
  readonly cacheUrl: string
  readonly seed: number
  readonly processes: number
  /** In all. */
  readonly calls: number
  readonly far: Omit<StoreCacheOptions, 'store' | 'background'>
  readonly isValidated: boolean
  /** Cut and lose the connections to the cache store at random. */
  readonly breaksNetwork?: boolean
  /** Kill processes at random, and start others in their place. */
  readonly kills?: boolean
  /** Do harm besides while it runs. */
  readonly harm?: (random: Random) => Promise<void>
  readonly outages?: readonly Outage[]
}

/** What came out of a run. */
export interface RunResult {
  readonly reads: number
  readonly writes: number
  readonly unknown: number
  readonly rejected: number
  readonly violations: readonly Violation[]
  readonly unexcused: readonly Rejection[]
  /** Calls that had the whole time and no answer. */
  readonly outOfTime: number
  readonly killed: number
  readonly faults: number
  readonly hits: number
  readonly confirmed: number
  readonly leaseWaits: number
  readonly voids: number
  readonly unmarkedWrites: number
  readonly storeErrors: number
}

const keys: readonly string[] = Array.from({ length: 24 }, (_, i) => `key ${i}`)
const timeoutMs = 10_000

/** Let processes run, and judge what they saw. */
export async function run(setting: RunSetting): Promise<RunResult> {
  return new Run(setting).run()
}

class Run {
  readonly #setting: RunSetting
  readonly #random: Random
  readonly #dataset: string
  readonly #workers = new Set<Worker>()
  readonly #proxies: FaultProxy[] = []
  readonly #totals = { hits: 0, confirmed: 0, leaseWaits: 0, voids: 0, unmarkedWrites: 0, storeErrors: 0 }
  #journals = ''
  #started = 0
  #killed = 0
  #faults = 0
  #isOver = false

  constructor(setting: RunSetting) {
    this.#setting = setting
    this.#random = new Random(setting.seed)
    this.#dataset = `run${setting.seed}_${process.hrtime.bigint()}`
  }

  async run(): Promise<RunResult> {
    const { folder, processes, breaksNetwork, kills, harm } = this.#setting
    this.#journals = await mkdtemp(join(folder, 'journals-'))
    const places = Array.from({ length: processes }, (_, place) => this.#place(place))
    const harms: Promise<void>[] = []
    if (breaksNetwork) for (let i = 0; i < processes; i++) harms.push(this.#breakNetwork(i))
    if (kills) harms.push(this.#kill())
    if (harm) harms.push(this.#repeat(() => harm(this.#random)))
    try {
      await Promise.all(places)
    } finally {
      this.#isOver = true
      for (const worker of this.#workers) void worker.kill()
      await Promise.all(harms)
      await Promise.all(this.#proxies.map((proxy) => proxy.close()))
    }
    return this.#result()
  }

  /** One process after the other, until one has done its share. */
  async #place(place: number): Promise<void> {
    const { cacheUrl, breaksNetwork } = this.#setting
    let url = cacheUrl
    if (breaksNetwork) {
      const proxy = await faultProxy(cacheUrl)
      this.#proxies[place] = proxy
      url = proxy.url
    }
    for (;;) {
      const worker = this.#start(url)
      this.#workers.add(worker)
      const stats = await worker.over
      this.#workers.delete(worker)
      if (stats === undefined && !this.#isOver) continue
      for (const name of ['hits', 'leaseWaits', 'voids', 'unmarkedWrites', 'storeErrors'] as const)
        this.#totals[name] += stats?.far[name] ?? 0
      this.#totals.confirmed += stats?.near?.revalidations ?? 0
      return
    }
  }

  #start(cacheUrl: string): Worker {
    const { script, seed, sourceUrl, far, isValidated, processes, calls } = this.#setting
    const number = this.#started++
    const name = `p${number}`
    return new Worker(script, {
      seed: seed * 1_000 + number,
      stack: {
        sourceUrl,
        cacheUrl,
        dataset: this.#dataset,
        near: isValidated ? { localTier: 'validated' } : undefined,
        far,
      },
      delayMs: 4,
      mix: {
        keys,
        callers: 8,
        calls: Math.ceil(calls / processes),
        timeoutMs,
        journal: join(this.#journals, name),
        name,
      },
    })
  }

  async #repeat(once: () => Promise<void>): Promise<void> {
    while (!this.#isOver) await once()
  }

  async #kill(): Promise<void> {
    const { calls, processes } = this.#setting
    // Each one that is killed has its calls to do again, so kills end at some time.
    const most = Math.ceil((2 * calls) / processes / 100)
    await this.#repeat(async () => {
      await pause(200 + this.#random.next() * 800)
      const worker = this.#random.of(Array.from(this.#workers))
      if (worker === undefined || this.#killed >= most || this.#isOver) return
      this.#killed++
      await worker.kill()
    })
  }

  async #breakNetwork(place: number): Promise<void> {
    const random = new Random(this.#setting.seed * 100 + place)
    await this.#repeat(async () => {
      await pause(random.next() * 400)
      const proxy = this.#proxies[place]
      if (proxy === undefined || this.#isOver) return
      this.#faults++
      const side = random.of(['request', 'response'] as const)
      const afterBytes = random.below(400)
      proxy.inject(
        random.of([
          { kind: 'reset' },
          { kind: 'blackHole' },
          { kind: 'hold', side },
          { kind: 'hold', side },
          { kind: 'cut', side, afterBytes },
          { kind: 'cut', side, afterBytes: 0 },
        ] as const),
      )
      await pause(random.next() * 300)
      proxy.pass()
    })
  }

  #result(): RunResult {
    const { writes, reads, rejections } = testimony(this.#journals)
    return {
      reads: reads.length,
      writes: writes.length,
      unknown: writes.filter(({ endMs, isRefused }) => endMs === undefined && !isRefused).length,
      rejected: rejections.length,
      violations: judge(writes, reads),
      unexcused: unexcused(rejections, this.#setting.outages),
      outOfTime: rejections.filter(
        (one) => one.timeoutMs === timeoutMs && one.endMs - one.startMs >= timeoutMs,
      ).length,
      killed: this.#killed,
      faults: this.#faults,
      ...this.#totals,
    }
  }
}
