import { cache, type WriteBehindLayer, writeBehind } from '@unikv/cache'
import { compression } from '@unikv/compression'
import { type AnyLayer, type AnyStore, type Bytes, json, keyValue, type Store } from '@unikv/core'
import { delta } from '@unikv/delta'
import { encryption, keyring, nameKey } from '@unikv/encryption'
import { fallback, type Mirror, mirror } from '@unikv/mirror'
import { monitor } from '@unikv/monitor'
import { resilience } from '@unikv/resilience'
import type { Random } from '@unikv/test-kit/schedules'
import { Bus } from './bus.ts'
import { Lane, type Port } from './lane.ts'
import type { Time } from './time.ts'

/** A value of a program. */
export interface Value {
  readonly id: number
  readonly text: string
}

/** What programs call of a KeyValue, whatever its stack declares. */
export interface Target {
  getEntry(key: string, settings: object): Promise<{ value: Value; meta?: { stale?: boolean } } | undefined>
  getMany(keys: readonly string[], settings: object): Promise<(Value | undefined)[]>
  has(key: string, settings: object): Promise<boolean>
  set(key: string, value: Value, settings: object): Promise<unknown>
  setMany(entries: readonly (readonly [string, Value])[], settings: object): Promise<unknown[]>
  delete(key: string, settings: object): Promise<unknown>
  update?(key: string, change: () => Value, settings: object): Promise<unknown>
  keys(settings: object): AsyncIterable<string>
  clear(settings: object): Promise<unknown>
  close(): Promise<void>
}

/** One process of a program. */
export interface Process {
  readonly kv: Target
  readonly behind: WriteBehindLayer | undefined
  readonly mirror: Mirror | undefined
  /** It is gone, with all it had in memory. */
  kill(): void
}

/** Told of an acknowledged write that was lost. The key is canonical. */
export type OnLost = (key: string) => void

const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1) } })
const names = nameKey(Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 2))
const background = (): void => {}

/** A stack that is chosen at random, of the layers that may stand in it, in the processes of one program. */
export class Composition {
  readonly processes: number
  /** How old an answer may be that another process wrote. */
  readonly staleMs: number
  readonly lanes: readonly Lane[]
  readonly bus: Bus | undefined
  /** Whether acknowledged writes are in the memory of a process alone. */
  readonly isInMemory: boolean
  /** Whether answers may come from a store that lags, marked stale. */
  readonly lags: boolean
  readonly hasTwoStores: boolean
  /** The layers by name, for the report of a violation. */
  readonly title: string
  readonly #random: Random
  readonly #time: Time
  readonly #with: Features
  readonly #source: Lane
  readonly #second: Lane
  readonly #tier: Lane
  readonly #journal: Lane
  readonly #planted: () => readonly AnyLayer[]

  /** @param planted A layer that is put on top of each stack, with a fault that programs have to find. */
  constructor(random: Random, time: Time, planted: () => readonly AnyLayer[]) {
    this.#planted = planted
    this.#random = random
    this.#time = time
    this.#with = featuresOf(random)
    this.processes = this.#with.processes
    const { near, behind } = this.#with
    this.staleMs = this.processes > 1 && near !== undefined && near !== 'validated' ? 100 : 0
    this.isInMemory = behind === 'memory'
    this.lags = this.#with.base === 'fallback'
    this.hasTwoStores = this.#with.base !== 'plain'
    const failures = (): number => random.pick([0, 0, 0.05, 0.2])
    this.#source = new Lane('source', random, time, failures())
    this.#second = new Lane('second', random, time, failures())
    // What a tier that fails may leave unseen is for processes that agree on it.
    this.#tier = new Lane('tier', random, time, failures())
    this.#journal = new Lane('journal', random, time, 0)
    // A queue may have sent a later write by then: see decision 0014.
    this.#source.mayBeLate = behind === undefined
    this.lanes = [this.#source, this.#second, this.#tier, this.#journal]
    this.bus = near === 'bus' ? new Bus(random) : undefined
    this.title = `${this.processes} × ${titleOf(this.#with)}`
  }

  /** Lets the store that lags come after. */
  replicate(): void {
    const there = this.#source.inner.native
    for (const [key, { value, version = 'x', expiresAt }] of there)
      void this.#second.inner.write([{ type: 'set', key, value, version, expiresAt }], plain)
    for (const key of Array.from(this.#second.inner.native.keys()))
      if (!there.has(key)) void this.#second.inner.write([{ type: 'delete', key, version: 'x' }], plain)
  }

  /** Start a process. `isBare`: without caches, to see what the store holds. */
  open(onLost: OnLost, isBare = false): Process {
    const ports: Port[] = []
    const portOf = (lane: Lane): Store<Bytes> => {
      const port = lane.port(this.#with.isMerged)
      ports.push(port)
      return port.store
    }
    const base = this.#base(portOf, isBare)
    const behind = isBare ? undefined : this.#behind(portOf, onLost)
    const layers = isBare ? this.#codecs() : this.#layers(portOf, behind)
    const { clock } = this.#time
    const kv = keyValue(base as AnyStore, layers, { clock, graceMs: 1_000 }) as unknown as Target
    const kill = (): void => {
      for (const port of ports) port.kill()
    }
    return { kv, behind, mirror: 'resync' in base ? (base as Mirror) : undefined, kill }
  }

  #base(portOf: (lane: Lane) => Store<Bytes>, isBare: boolean): Store<Bytes> {
    const { base } = this.#with
    const source = portOf(this.#source)
    if (base === 'plain' || (isBare && base === 'fallback')) return source
    const second = portOf(this.#second)
    if (base === 'fallback') return fallback(source, second, { afterMs: 20 }) as Store<Bytes>
    const { mono } = this.#time
    const writers = this.processes > 1 ? 'many' : 'one'
    return mirror(source, second, {
      monotonicClock: mono,
      writers,
      doubtMs: 2_000,
      timeoutMs: 200,
    }) as Store<Bytes>
  }

  #behind(portOf: (lane: Lane) => Store<Bytes>, onLost: OnLost): WriteBehindLayer | undefined {
    const { behind } = this.#with
    if (behind === undefined) return undefined
    return writeBehind({
      clock: this.#time.clock,
      delayMs: 10,
      timeoutMs: 500,
      graceMs: 1_000,
      plaintext: 'allowed',
      onLost: ({ key }) => onLost(key),
      ...(behind === 'awaited' ? {} : { background }),
      ...(behind === 'journal' ? { journal: portOf(this.#journal) } : {}),
    })
  }

  #layers(portOf: (lane: Lane) => Store<Bytes>, behind: WriteBehindLayer | undefined): AnyLayer[] {
    const { clock, mono } = this.#time
    const { tiers, tierAbove, hasMonitor, hasResilience } = this.#with
    const stored = tiers.map((namespace) => this.#stored(portOf(this.#tier), namespace))
    const [outer, ...inner] = this.#codecs()
    const hedge = { afterMs: 5, budget: 1 }
    return [
      ...this.#planted(),
      ...(hasMonitor ? [monitor({ clock })] : []),
      ...this.#near(),
      outer as AnyLayer,
      ...(tierAbove ? stored : []),
      ...inner,
      ...(tierAbove ? [] : stored),
      ...(behind === undefined ? [] : [behind]),
      ...(hasResilience
        ? [resilience({ monotonicClock: mono, hedge, breaker: { openMs: 100, window: 5 } })]
        : []),
    ]
  }

  #codecs(): AnyLayer[] {
    const { hasDelta, hasCompression, hasEncryption, hasNames } = this.#with
    const dataset = 'programs'
    return [
      json<Value>(),
      ...(hasDelta ? [delta({ minBytes: 32, maxDeltas: 4, background, clock: this.#time.clock })] : []),
      ...(hasCompression ? [compression({ minBytes: 64, threads: false, withEncryption: true })] : []),
      ...(hasEncryption && !hasNames ? [encryption({ dataset, keys })] : []),
      ...(hasNames ? [encryption({ dataset, keys, names })] : []),
    ]
  }

  #near(): AnyLayer[] {
    const { near, share, onWrite, freshForMs, absentForMs } = this.#with
    if (near === undefined) return []
    const { clock, mono } = this.#time
    const common = { clock, monotonicClock: mono, share, onWrite }
    if (near === 'bus') return [cache({ ...common, bus: this.bus as Bus, maxStaleMs: 100 })]
    if (near === 'validated') return [cache({ ...common, localTier: 'validated' })]
    const staleMs = this.processes > 1 ? { freshForMs: 100, absentForMs: 100 } : { freshForMs, absentForMs }
    return [cache({ ...common, ...staleMs })]
  }

  #stored(store: Store<Bytes>, namespace: string): AnyLayer {
    const { clock, mono } = this.#time
    const { writes, onWrite } = this.#with
    return cache({
      store: store as AnyStore,
      namespace,
      clock,
      monotonicClock: mono,
      leases: true,
      leaseWaitMs: this.#random.pick([0, 50]),
      writes: this.processes > 1 ? 'consistent' : writes,
      onWrite,
      plaintext: 'allowed',
    })
  }
}

const plain = { deadlineAt: Number.POSITIVE_INFINITY, signal: undefined, consistency: undefined } as never

interface Features {
  readonly processes: number
  readonly base: 'plain' | 'mirror' | 'fallback'
  readonly near: 'plain' | 'validated' | 'bus' | undefined
  readonly tiers: readonly string[]
  /** Whether the tiers stand above compression and encryption. */
  readonly tierAbove: boolean
  readonly behind: 'awaited' | 'memory' | 'journal' | undefined
  readonly hasMonitor: boolean
  readonly hasResilience: boolean
  readonly hasDelta: boolean
  readonly hasCompression: boolean
  readonly hasEncryption: boolean
  readonly hasNames: boolean
  readonly isMerged: boolean
  readonly share: 'freeze' | 'copy'
  readonly onWrite: 'around' | 'through'
  readonly writes: 'available' | 'consistent'
  readonly freshForMs: number
  readonly absentForMs: number
}

function featuresOf(random: Random): Features {
  const processes = random.pick([1, 1, 2, 3])
  const behind =
    processes === 1 && random.chance(0.3) ? random.pick(['awaited', 'memory', 'journal'] as const) : undefined
  const hasEncryption = random.chance(0.4)
  const nears =
    processes > 1 ? (['plain', 'validated', 'bus'] as const) : (['plain', 'plain', 'validated'] as const)
  return {
    processes,
    behind,
    base: random.pick(['plain', 'plain', 'plain', 'mirror', 'fallback'] as const),
    near: random.chance(0.65) ? random.pick(nears) : undefined,
    tiers: random.pick([[], [], ['one'], ['one', 'two']]),
    tierAbove: random.chance(0.5),
    hasMonitor: random.chance(0.2),
    hasResilience: random.chance(0.3),
    hasDelta: behind === undefined && random.chance(0.25),
    hasCompression: random.chance(0.3),
    hasEncryption,
    hasNames: hasEncryption && random.chance(0.3),
    isMerged: random.chance(0.5),
    share: random.pick(['freeze', 'copy'] as const),
    onWrite: random.pick(['around', 'through'] as const),
    writes: random.pick(['available', 'consistent'] as const),
    freshForMs: random.pick([Number.POSITIVE_INFINITY, 100, 5]),
    absentForMs: random.pick([0, 100, Number.POSITIVE_INFINITY]),
  }
}

function titleOf(has: Features): string {
  return [
    has.hasMonitor && 'monitor',
    has.near && `cache ${has.near} ${has.freshForMs}/${has.absentForMs} ${has.onWrite}`,
    'json',
    has.tierAbove && has.tiers.map((tier) => `tier ${tier} ${has.writes}`),
    has.hasDelta && 'delta',
    has.hasCompression && 'compression',
    has.hasEncryption && `encryption${has.hasNames ? ' with names' : ''}`,
    !has.tierAbove && has.tiers.map((tier) => `tier ${tier} ${has.writes}`),
    has.behind && `write-behind ${has.behind}`,
    has.hasResilience && 'resilience',
    has.base,
    has.isMerged && 'merged',
  ]
    .flat()
    .filter((one) => one !== false && one !== undefined)
    .join(', ')
}
