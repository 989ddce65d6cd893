import { keyValue } from '@unikv/core'
import { Histogram } from '@unikv/core/histogram'
import { memory } from '@unikv/core/memory'
import type { Manager, StoreConfiguration } from '@unikv/manager'
import type { Answers, Figures, Frame } from '@unikv/monitor'
import type { Policy } from '@unikv/monitor/recorder'
import { mulberry32 } from '@unikv/test-kit'
import type { Approve } from '../../src/approval.ts'
import { TunerLog } from '../../src/log/tuner-log.ts'
import type { Observation } from '../../src/observe/observations.ts'
import { Course } from '../../src/run/course.ts'
import type { Tactic, TunedStore } from '../../src/tactic.ts'
import { builtIn } from '../../src/tactics/built-in.ts'
import type { IndexFound } from '../../src/tactics/index-candidates.ts'
import { loadOf } from '../observed.ts'

/*
 * A store as a queue: calls come at a rate, take their time, and wait the longer the busier its places are. Indexes, a cache, the
 * pool, compression, second reads and a bound on calls change that as they do in reality, in figures that are written down here.
 */

/** The load and the machine. Calls are a second, times milliseconds. */
export interface Spec {
  readonly reads?: number
  readonly writes?: number
  /** Queries by attributes: how many. */
  readonly queries?: { readonly [by: `by ${string}`]: number }
  readonly readMs?: number
  readonly writeMs?: number
  readonly records?: number
  readonly valueBytes?: number
  /** Calls that the server works on at the same time. */
  readonly places?: number
  readonly maxConnections?: number
  readonly connections?: number
  /** A share of the reads takes so many times as long. */
  readonly tail?: { readonly share: number; readonly times: number }
  /** Beyond so many calls under way the server refuses some. */
  readonly refusesFrom?: number
  readonly storedShare?: number
  readonly indexes?: readonly (readonly string[])[]
  /** Uses of an index that is there and that no query names. */
  readonly unusedIndexes?: number
  readonly layers?: StoreConfiguration['layers']
  readonly url?: string
  readonly denied?: string
}

/** Milliseconds to look at a record in a scan of all. */
const scanMs = 0.0004
const indexedMs = 0.3
/** A write with one more index. */
const indexFactor = 1.05
const hitMs = 0.01
const windowMs = 5000
const store = 'users'
/** Quantiles of an exponential distribution: the latencies of a window. */
const quantiles = Array.from({ length: 25 }, (_, i) => -Math.log(1 - (i + 0.5) / 25)).concat([4, 4.6, 5.3])

/** A world with one store, and a tuner that watches it. */
export class World {
  spec: Spec
  /** Changes that are planted make reads take so many times as long. */
  readFactor = 1
  noise: number
  /** A cache with one of these policies answers so many times as much as with others. */
  policies: { readonly [policy: string]: number } = {}
  /** Another store of the manager is read beside, and its reads take so long. */
  besideMs: number | undefined
  /** The share of its event loop that the process uses. */
  loopShare = 0.3
  /** Time from one window to the next. */
  stepMs = windowMs
  configuration: StoreConfiguration
  readonly indexes: { by: readonly string[]; name: string; uses: number }[]
  /** The processes. */
  names = ['web-1']
  now = Date.UTC(2026, 0, 1)
  carriedOut: string[] = []
  takenBack: string[] = []
  readonly log = new TunerLog(keyValue(memory()) as never)
  readonly #random: () => number
  readonly course: Course
  readonly tactics: readonly Tactic[]

  constructor(
    spec: Spec,
    given: {
      readonly policies: readonly Policy[]
      readonly approve?: Approve
      readonly seed?: number
      readonly noise?: number
      readonly tactics?: readonly Tactic[]
      /** @default throws it */
      readonly onError?: (error: unknown) => void
    },
  ) {
    const { policies, approve = 'ask', seed = 1, noise = 0.05, tactics = builtIn } = given
    this.spec = spec
    this.noise = noise
    this.#random = mulberry32(seed)
    this.configuration = { url: spec.url ?? 'postgres://app@db/app', layers: spec.layers ?? ['json'] }
    this.indexes = [
      ...(spec.indexes ?? []).map((by, i) => ({ by, name: `own_${i}`, uses: 100 })),
      ...Array.from({ length: spec.unusedIndexes ?? 0 }, (_, i) => ({
        by: [`old${i}`],
        name: `old_${i}`,
        uses: 0,
      })),
    ]
    this.tactics = tactics.map((tactic) => this.#simulated(tactic))
    this.course = new Course({
      policies,
      tactics: this.tactics,
      approve,
      log: this.log,
      placeOf: (name) => (name === store ? this.#place() : undefined),
      configurationOf: () => this.configuration,
      by: 'simulation',
      onStep: () => {},
      onError:
        given.onError ??
        ((error) => {
          throw error
        }),
      clock: () => this.now,
    })
  }

  /** So many windows go by. */
  async windows(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      this.now += this.stepMs
      const troubles = this.course.observe(this.observation())
      await this.course.goOn(troubles)
      await this.course.settled()
    }
  }

  async actions() {
    return (await this.log.actions()).map(({ action }) => action)
  }

  /** Whether a change is there already: an index that serves the same query, or a layer or a pool as it would be. */
  has({ tactic, change }: { readonly tactic: string; readonly change: object }): boolean {
    const {
      by = [],
      layer,
      after,
      parameter,
    } = change as {
      readonly by?: readonly string[]
      readonly layer?: string
      readonly after?: unknown
      readonly parameter?: string
    }
    if (tactic === 'add-index') return this.#hasIndexFor(`by ${by.join(',')}`)
    if (layer !== undefined) return JSON.stringify(this.#option(layer) ?? null) === JSON.stringify(after)
    return parameter === 'maxConnections' && this.#pool() === Number(after)
  }

  observation(): Observation {
    const { maxConnections = 100, connections = 20, records = 100_000, storedShare = 0.3 } = this.spec
    const statistics = {
      connections: connections + this.#pool(),
      maxConnections,
      records,
      storedBytes: storedShare * 1e9 * this.#ratio(),
      maxStoredBytes: 1e9,
    }
    return {
      at: this.now,
      lengthMs: windowMs,
      frame: {
        [store]: this.#frame(),
        ...(this.besideMs === undefined
          ? {}
          : { carts: { read: this.#figures(50, this.besideMs, { refused: 0, slow: undefined, hits: 0 }) } }),
      },
      servers: { [store]: { at: this.now, statistics } },
      processes: this.names.length,
      names: this.names,
      loads: [{ ...loadOf(this.loopShare), loopShare: this.loopShare }],
    }
  }

  #frame(): Frame[string] {
    const { reads = 0, writes = 0, queries = {}, readMs = 0.5, writeMs = 1, records = 100_000 } = this.spec
    const bytesMs = ((this.spec.valueBytes ?? 200) * this.#ratio()) / 120_000
    const cached = this.#hitRate()
    const rates = [
      { name: 'read', calls: reads * (1 - cached), ms: (readMs + bytesMs) * this.readFactor },
      { name: 'set', calls: writes, ms: (writeMs + bytesMs) * indexFactor ** this.indexes.length },
      ...Object.entries(queries).map(([name, calls]) => ({
        name,
        calls,
        ms: this.#hasIndexFor(name) ? indexedMs : indexedMs + records * scanMs,
      })),
    ]
    const busy = rates.reduce((sum, { calls, ms }) => sum + calls * ms, 0) / 1000
    const places = Math.min(this.spec.places ?? 8, this.#pool())
    const wait = waiting(busy, places)
    const underWay = Math.min(busy * wait, this.#limit())
    const refused = Math.max(0, Math.min(0.5, (underWay - (this.spec.refusesFrom ?? 1e9)) / 100))
    const found = rates
      .filter(({ calls }) => calls > 0)
      .map(({ name, calls, ms }) => {
        const slow = name === 'read' ? this.#tail() : undefined
        const hits = name === 'read' ? Math.round(reads * cached * (windowMs / 1000)) : 0
        return [name, this.#figures(calls, ms * wait, { refused, slow, hits })] as const
      })
    const native = found.filter(([name]) => name.startsWith('by ')).map(([, figures]) => figures)
    return Object.fromEntries([...found, ...(native.length === 0 ? [] : [['native', sum(native)] as const])])
  }

  #figures(
    perSecond: number,
    ms: number,
    more: { readonly refused: number; readonly slow: Spec['tail'] | undefined; readonly hits: number },
  ): Figures {
    const moved = ms * Math.exp(this.noise * normal(this.#random))
    const count = Math.max(1, Math.round(perSecond * (windowMs / 1000)))
    const times = new Histogram({ precisionBits: 6 })
    const share = more.hits / (more.hits + count)
    // Hits first, then misses, of which some are slow.
    for (const [i, quantile] of quantiles.entries()) times.record(moved * quantile * 1e6 + i)
    const { share: slowShare = 0, times: slower = 1 } = more.slow ?? {}
    for (let i = 0; i < Math.round(slowShare * quantiles.length); i += 1) times.record(moved * slower * 1e6)
    for (let i = 0; i < Math.round((share / Math.max(0.01, 1 - share)) * quantiles.length); i += 1)
      times.record(hitMs * 1e6)
    const calls = count + more.hits
    const failed = Math.round(calls * more.refused)
    return {
      items: calls,
      late: 0,
      misses: count,
      absent: 0,
      stale: 0,
      conditionsFailed: 0,
      bytes: calls * (this.spec.valueBytes ?? 200),
      errors: failed === 0 ? {} : { OVERLOADED: failed },
      hits: more.hits === 0 ? {} : { cache: more.hits },
      atOnce: {
        count: 0,
        times: undefined,
      },
      awaited: {
        count: calls,
        times,
      },
    }
  }

  #pool(): number {
    return Number(/maxConnections=(\d+)/.exec(this.configuration.url ?? '')?.[1] ?? 10)
  }

  #option(layer: string): { readonly [name: string]: unknown } | undefined {
    const found = (this.configuration.layers ?? []).find(
      (one) => one === layer || Object.hasOwn(Object(one), layer),
    )
    return found === undefined ? undefined : ((Object(found) as Record<string, never>)[layer] ?? {})
  }

  #hitRate(): number {
    const cache = this.#option('cache')
    if (cache === undefined) return 0
    const { reads = 0, writes = 0, records = 100_000 } = this.spec
    const entries = Number(cache['maxEntries'] ?? 10_000)
    const harmonic = (count: number): number => Math.log(count) + 0.577
    const most = entries >= records ? 0.98 : harmonic(entries) / harmonic(records)
    return most * (this.policies[String(cache['policy'])] ?? 1) * (1 - writes / (writes + reads))
  }

  #ratio(): number {
    const options = this.#option('compression')
    const isOn = options !== undefined && Number(options['minBytes'] ?? 0) <= (this.spec.valueBytes ?? 200)
    return isOn ? 0.45 : 1
  }

  #tail(): Spec['tail'] {
    const isHedged = this.#option('resilience')?.['hedge'] !== undefined
    return isHedged ? undefined : this.spec.tail
  }

  #limit(): number {
    const concurrency = this.#option('resilience')?.['concurrency'] as { limit?: number } | undefined
    return concurrency?.limit ?? 1024
  }

  #hasIndexFor(query: string): boolean {
    const by = query.slice(3).split(',')
    return this.indexes.some((index) => by.every((name) => index.by.slice(0, by.length).includes(name)))
  }

  #place(): Omit<TunedStore, 'signal'> {
    const manager = {
      configuration: { stores: { [store]: this.configuration, carts: {} }, monitor: undefined },
      stores: { [store]: {}, carts: {} },
      reload: async (change: (now: Manager['configuration']) => Manager['configuration']) => {
        this.configuration = change(manager.configuration).stores[store] as StoreConfiguration
      },
    }
    return { name: store, kind: 'postgres', table: 'users', kv: {} as never, manager: manager as never }
  }

  /** The tactic on this world in place of a server; all else is its own. */
  #simulated(tactic: Tactic): Tactic {
    const isIndex = tactic.name === 'add-index' || tactic.name === 'drop-index'
    const made = (change: object) => change as { by: readonly string[]; name: string }
    const add = async (change: object) => {
      if (this.indexes.every(({ name }) => name !== made(change).name))
        this.indexes.push({ ...made(change), uses: 0 })
    }
    const drop = async (change: object) => {
      const at = this.indexes.findIndex(({ name }) => name === made(change).name)
      if (at >= 0) this.indexes.splice(at, 1)
    }
    const [doIt, undoIt] = tactic.name === 'drop-index' ? [drop, add] : [add, drop]
    return {
      ...tactic,
      look: async () => this.#tables(),
      carryOut: async (change, at) => {
        this.carriedOut.push(tactic.name)
        await (isIndex ? doIt(change) : tactic.carryOut(change, at))
      },
      undo: async (change, at) => {
        this.takenBack.push(tactic.name)
        await (isIndex ? undoIt(change) : tactic.undo(change, at))
      },
    }
  }

  #tables(): IndexFound {
    const { records = 100_000, denied } = this.spec
    const key = { name: 'users_pkey', by: ['k'], isValid: true, isOfKey: true, uses: 5 }
    const own = this.indexes.map(({ name, by, uses }) => ({ name, by, uses, isValid: true, isOfKey: false }))
    return { tables: { users: { records, indexes: [key, ...own], denied } } }
  }
}

/** How many times longer a call takes than alone: about an M/M/c queue. Beyond its places it grows with what waits. */
function waiting(busy: number, places: number): number {
  const load = busy / places
  return load < 0.98 ? 1 + load ** (2 * Math.sqrt(places)) / (1 - load) : 25 + 60 * (load - 0.98)
}

function sum(all: readonly Figures[]): Figures {
  const [first, ...others] = all as [Figures, ...Figures[]]
  return others.reduce((total, one) => {
    const times = new Histogram({ precisionBits: 6 })
    for (const its of [total.awaited, one.awaited]) times.merge((its as Required<Answers>).times as Histogram)
    const awaited = { count: total.awaited.count + one.awaited.count, times }
    return { ...total, items: total.items + one.items, bytes: total.bytes + one.bytes, awaited }
  }, first)
}

/** A draw of the normal distribution, by Box and Muller. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
