import { setTimeout as pause } from 'node:timers/promises'
import { type Fault, type FaultProxy, faultProxy } from '@unikv/test-kit'
import { Random } from '@unikv/test-kit/schedules'
import type { Worker } from './worker.ts'

/** What is done to a run. */
export interface HarmSetting {
  /** Cut and lose the connections to the cache store, and to the bus, at random: for so many milliseconds at most. */
  readonly breaksNetworkForMs?: number | undefined
  /** Kill so many processes at random at most; others start in their place. */
  readonly kills?: number | undefined
  /** Stop (SIGSTOP) one process after the other, and let it go on. */
  readonly stops?: Stops | undefined
  /** Do harm besides, again and again. */
  readonly harm?: ((random: Random) => Promise<void>) | undefined
}

const warmMs = 1_000

/** How processes are stopped. */
export interface Stops {
  readonly times: number
  readonly ms: number
  /** How long after it what the cache store and the bus have sent meanwhile comes. */
  readonly lateMs: number
}

/** Does harm to the processes of a run until it is over. */
export class Harm {
  faults = 0
  killed = 0
  stopped = 0
  readonly #setting: HarmSetting
  readonly #seed: number
  readonly #random: Random
  readonly #workers: ReadonlyMap<number, Worker>
  readonly #proxies = new Map<number, FaultProxy>()
  readonly #doing: Promise<void>[] = []
  readonly #over = new AbortController()

  /** `workers` are those that run, by their places. */
  constructor(setting: HarmSetting, seed: number, workers: ReadonlyMap<number, Worker>) {
    this.#setting = setting
    this.#seed = seed
    this.#random = new Random(seed)
    this.#workers = workers
  }

  /** The address of this server for the processes of one place. */
  async urlFor(place: number, url: string): Promise<string> {
    const { breaksNetworkForMs, stops } = this.#setting
    if (breaksNetworkForMs === undefined && stops === undefined) return url
    const proxy = await faultProxy(url)
    this.#proxies.set(place, proxy)
    const random = new Random(this.#seed * 100 + place)
    if (breaksNetworkForMs !== undefined)
      this.#doing.push(this.#repeat(() => this.#break(proxy, random, breaksNetworkForMs)))
    return proxy.url
  }

  start(): void {
    const { kills = 0, stops, harm } = this.#setting
    if (kills > 0) this.#doing.push(this.#repeat(() => this.#kill(kills)))
    if (stops !== undefined) this.#doing.push(this.#stop(stops))
    if (harm !== undefined) this.#doing.push(this.#repeat(() => harm(this.#random)))
  }

  async end(): Promise<void> {
    this.#over.abort()
    await Promise.all(this.#doing)
    await Promise.all(Array.from(this.#proxies.values(), (proxy) => proxy.close()))
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted
  }

  async #repeat(once: () => Promise<void>): Promise<void> {
    while (!this.#isOver) await once()
  }

  async #kill(most: number): Promise<void> {
    await pause(200 + this.#random.next() * 800)
    const worker = this.#workers.get(this.#place())
    if (worker === undefined || this.killed >= most || this.#isOver) return
    this.killed++
    await worker.kill()
  }

  async #stop({ times, ms, lateMs }: Stops): Promise<void> {
    for (let i = 0; i < times; i++) {
      await pause(50 + this.#random.next() * 300)
      const place = this.#place()
      const worker = this.#workers.get(place)
      await worker?.ready
      // So that it has something to be wrong about.
      await pause(warmMs)
      if (worker === undefined || this.#isOver) return
      const proxy = this.#proxies.get(place)
      proxy?.inject({ kind: 'hold', side: 'response' })
      worker.pause()
      this.stopped++
      // Nobody can be over while one is stopped.
      await pause(ms)
      worker.resume()
      await pause(lateMs)
      proxy?.pass()
    }
  }

  #place(): number {
    return this.#random.pick(Array.from(this.#workers.keys()))
  }

  async #break(proxy: FaultProxy, random: Random, longestMs: number): Promise<void> {
    await pause(random.next() * 400)
    if (this.#isOver) return
    this.faults++
    proxy.inject(faultOf(random))
    await pause(random.next() * longestMs)
    proxy.pass()
  }
}

function faultOf(random: Random): Fault {
  const side = random.pick(['request', 'response'] as const)
  const afterBytes = random.below(400)
  return random.pick<Fault>([
    { kind: 'reset' },
    { kind: 'blackHole' },
    { kind: 'hold', side },
    { kind: 'hold', side },
    { kind: 'cut', side, afterBytes },
    { kind: 'cut', side, afterBytes: 0 },
  ])
}
