import { cache } from '@unikv/cache'
import { compression } from '@unikv/compression'
import { type AnyLayer, type AnyStore, type Bytes, compose, keyValue, type Store } from '@unikv/core'
import { delta, sweepDeltas } from '@unikv/delta'
import { encryption, keyring, nameKey } from '@unikv/encryption'
import { fallback, type Mirror, mirror } from '@unikv/mirror'
import { monitor } from '@unikv/monitor'
import { parts, sweepParts } from '@unikv/parts'
import { resilience } from '@unikv/resilience'
import type { Random } from '@unikv/test-kit/schedules'
import { type WriteBehindLayer, writeBehind } from '@unikv/write-behind'
import { Background } from './background.ts'
import { Bus } from './bus.ts'
import { type Features, featuresOf, type Stale, staleMsOf, titleOf } from './features.ts'
import { Lane, type Port } from './lane.ts'
import type { Target } from './target.ts'
import type { Time } from './time.ts'
import { codecOf } from './values.ts'

/** One process of a program, or one of several stacks of it. */
export interface Process {
  readonly kv: Target
  readonly behind: WriteBehindLayer | undefined
  readonly mirror: Mirror | undefined
  /** What it was given and has to close. */
  readonly ports: readonly Port[]
  readonly background: Background
  /** Of its caches with tags, those nearest to the store first. */
  readonly tagged: readonly { invalidateTags(tags: string): Promise<void> }[]
  /** It is gone, with all it had in memory. */
  kill(): void
}

/** Told of an acknowledged write that was lost, and whether with all that waited for its key. */
export type OnLost = (lost: { readonly key: string; readonly version: string }, isClosed: boolean) => void

const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1) } })
const names = nameKey(Uint8Array.from({ length: 32 }, (_, i) => i * 5 + 2))
const graceMs = 1_000
const doubtMs = 2_000
/** The kind of a journal record that says: nothing is to be replayed. */
const guardKind = 3

/** A stack that is chosen at random, of the layers that may stand in it, in the processes of one program. */
export class Composition {
  readonly has: Features
  /** How old an answer may be that another process wrote. */
  readonly staleMs: number
  readonly lanes: readonly Lane[]
  readonly bus: Bus | undefined
  /** Whether acknowledged writes are in the memory of a process alone. */
  readonly isInMemory: boolean
  /** Whether each process writes keys of its own, as others would be overwritten. */
  readonly isApart: boolean
  /** Whether answers may come from a store that lags, marked stale. */
  readonly lags: boolean
  readonly hasTwoStores: boolean
  /** The layers by name, for the report of a violation. */
  readonly title: string
  readonly #random: Random
  readonly #time: Time
  readonly #sources: readonly Lane[]
  readonly #second: Lane
  readonly #tier: Lane
  readonly #journal: Lane
  readonly #planted: () => readonly AnyLayer[]
  /** What the stacks of one process share. */
  #shared = new Map<string, Port>()
  #layersOfAll: { near: readonly AnyLayer[]; stored: readonly AnyLayer[] } | undefined

  /** @param planted A layer that is put on top of each stack, with a fault that programs have to find. */
  constructor(random: Random, time: Time, planted: () => readonly AnyLayer[]) {
    this.#planted = planted
    this.#random = random
    this.#time = time
    this.has = featuresOf(random)
    const { near, behind, processes, datasets, base } = this.has
    const isEarly = behind !== undefined && behind !== 'awaited'
    this.staleMs = staleMsOf(this.has)
    this.isInMemory = behind === 'memory'
    this.isApart = isEarly && processes > 1 && datasets === 1
    this.lags = base === 'fallback'
    this.hasTwoStores = base !== 'plain'
    const failures = (): number => random.pick([0, 0, 0.05, 0.2])
    const share = failures()
    this.#sources = ['source', 'other'].slice(0, datasets).map((name) => new Lane(name, random, time, share))
    this.#second = new Lane('second', random, time, failures())
    // What a tier that fails may leave unseen is for processes that agree on it.
    this.#tier = new Lane('tier', random, time, failures())
    this.#journal = new Lane('journal', random, time, 0)
    this.lanes = [...this.#sources, this.#second, this.#tier, this.#journal]
    // A queue may have sent a later write by then: see decision 0014.
    for (const lane of this.#sources) lane.mayBeLate = behind === undefined
    // A mirror, and a journal, reckon with what comes late for `doubtMs`.
    this.#journal.latestMs = doubtMs / 2
    if (base === 'mirror') for (const lane of this.lanes) lane.latestMs = doubtMs / 2
    for (const source of this.#sources) source.poisonShare = this.has.isPicky ? 0.15 : 0
    this.bus = near === 'bus' ? new Bus(random) : undefined
    this.title = `${processes} × ${titleOf(this.has)}`
  }

  /** How many stacks there are at once. */
  get processes(): number {
    return this.has.processes
  }

  /** How long `close` may take: the grace of the calls, then that of each layer with work of its own. */
  get closeMs(): number {
    const { behind, base, hasDelta, hasParts } = this.has
    const graces = [true, behind !== undefined, base === 'mirror', hasDelta, hasParts].filter(Boolean).length
    return graces * graceMs
  }

  /** Which dataset a stack is over. */
  datasetOf(place: number): number {
    return this.has.datasets === 2 ? place : 0
  }

  /** Whether a store of the stacks has or had this write. */
  hasTaken(version: string | undefined): boolean {
    return version !== undefined && this.#sources.some(({ taken }) => taken.has(version))
  }

  /** Lets the store that lags come after. */
  replicate(): void {
    const there = (this.#sources[0] as Lane).inner.native
    for (const [key, { value, version = 'x', expiresAt }] of there)
      void this.#second.inner.write([{ type: 'set', key, value, version, expiresAt }], plain)
    for (const key of Array.from(this.#second.inner.native.keys()))
      if (!there.has(key)) void this.#second.inner.write([{ type: 'delete', key, version: 'x' }], plain)
  }

  /** Start a process. `isBare`: without caches, to see what the store holds. */
  open(place: number, onLost: OnLost, isBare = false): Process {
    const ports: Port[] = []
    const portOf = (lane: Lane): Store<Bytes> => {
      const isShared = this.has.datasets === 2 && (lane === this.#tier || lane === this.#journal)
      const port = (isShared ? this.#shared.get(lane.name) : undefined) ?? lane.port(this.has.isMerged)
      if (isShared) this.#shared.set(lane.name, port)
      ports.push(port)
      return port.store
    }
    const background = new Background()
    const base = this.#base(place, portOf, isBare, background)
    const behind = isBare ? undefined : this.#behind(place, portOf, onLost, background)
    const made = isBare ? undefined : this.#caches(place, portOf, background)
    const layers = this.#layers(made, behind, background, isBare)
    const kv = keyValue(base as AnyStore, layers, {
      clock: this.#clockOf(place),
      graceMs,
    }) as unknown as Target
    const kill = (): void => {
      for (const port of ports) port.kill()
      this.#shared = new Map()
      this.#layersOfAll = undefined
    }
    const tagged = this.has.hasTags ? [...(made?.stored ?? []).toReversed(), ...(made?.near ?? [])] : []
    return {
      kv,
      behind,
      mirror: 'resync' in base ? (base as Mirror) : undefined,
      ports,
      background,
      tagged: tagged as never,
      kill,
    }
  }

  /** Records that are left in the stores although all was deleted, by the store; in the journal more than `inJournal`. */
  async leftovers(place: number, inJournal: number): Promise<readonly string[]> {
    const { hasDelta, hasParts } = this.has
    const source = this.#sources[this.datasetOf(place)] as Lane
    const below = this.#codecs(new Background())
      .slice(1)
      .filter(({ name }) => name !== 'delta')
    const deepest = below.filter(({ name }) => name !== 'parts')
    const { clock } = this.#time
    if (hasDelta) {
      const swept = compose(source.port(false).store as AnyStore, below as never) as unknown as Store<Bytes>
      await sweepDeltas(swept, { graceMs: 1, clock: () => clock() + 60_000 })
    }
    if (hasParts) {
      const swept = compose(source.port(false).store as AnyStore, deepest as never) as unknown as Store<Bytes>
      await sweepParts(swept, { graceMs: 1, clock: () => Date.now() + 60_000 })
    }
    const records = source.alive(clock()).map((key) => `${source.name}: ${JSON.stringify(key)}`)
    const queued = this.#queuedInJournal()
    if (queued.length > inJournal) records.push(...queued.map((name) => `journal: ${JSON.stringify(name)}`))
    // What says that a dataset has hashed names stays with it.
    return records.filter((record) => !record.includes('mnames'))
  }

  /** Names in the journal whose writes would be replayed: their newest record is not a guard. */
  #queuedInJournal(): readonly string[] {
    if (this.has.behind !== 'journal') return []
    const { native } = this.#journal.inner
    const newest = new Map<string, number>()
    const own = Array.from(native.keys()).filter((key) => key.startsWith('\u0001journal'))
    for (const key of own) {
      const [name = '', generation = '0'] = key.split('.')
      newest.set(name, Math.max(newest.get(name) ?? 0, Number(generation)))
    }
    const isGuard = ([name, generation]: readonly [string, number]): boolean =>
      native.get(generation === 0 ? name : `${name}.${generation}`)?.value[2] === guardKind
    return Array.from(newest).flatMap((one) => (isGuard(one) ? [] : one[0]))
  }

  /** Records of caches that never end, by key. */
  endless(): readonly string[] {
    const records = Array.from(this.#tier.inner.native)
    return records.filter(([, { expiresAt }]) => expiresAt === undefined).map(([key]) => JSON.stringify(key))
  }

  #clockOf(place: number): () => number {
    const { clock } = this.#time
    const skewMs = place % 2 === 1 ? this.has.skewMs : 0
    return () => clock() + skewMs
  }

  #base(
    place: number,
    portOf: (lane: Lane) => Store<Bytes>,
    isBare: boolean,
    background: Background,
  ): Store<Bytes> {
    const { base, isOwedDurably } = this.has
    const source = portOf(this.#sources[this.datasetOf(place)] as Lane)
    if (base === 'plain' || (isBare && base === 'fallback') || this.has.datasets === 2) return source
    const second = portOf(this.#second)
    if (base === 'fallback') return fallback(source, second, { afterMs: 20 }) as Store<Bytes>
    return mirror(source, second, {
      monotonicClock: this.#time.mono,
      writers: this.processes > 1 ? 'many' : 'one',
      doubtMs,
      timeoutMs: 200,
      graceMs,
      background: background.take,
      ...(isOwedDurably ? { journal: portOf(this.#journal) } : {}),
    }) as Store<Bytes>
  }

  #behind(
    place: number,
    portOf: (lane: Lane) => Store<Bytes>,
    onLost: OnLost,
    background: Background,
  ): WriteBehindLayer | undefined {
    const { behind } = this.has
    if (behind === undefined) return undefined
    return writeBehind({
      clock: this.#clockOf(place),
      delayMs: 10,
      timeoutMs: 500,
      graceMs,
      plaintext: 'allowed',
      // What the store refuses for good gives way to what it had replaced.
      onLost: (mutation, { code }) => onLost(mutation, code === 'UNAVAILABLE'),
      ...(behind === 'awaited' ? {} : { background: background.take }),
      ...(behind === 'journal' ? { journal: portOf(this.#journal), doubtMs } : {}),
      ...(this.isApart ? { namespace: `journal ${place}` } : {}),
    })
  }

  #layers(
    made: { near: readonly AnyLayer[]; stored: readonly AnyLayer[] } | undefined,
    behind: WriteBehindLayer | undefined,
    background: Background,
    isBare: boolean,
  ): AnyLayer[] {
    const [outer, ...inner] = this.#codecs(background)
    const { near, stored } = made ?? { near: [], stored: [] }
    const { tierAbove, hasMonitor, hasResilience, isNarrow } = this.has
    const hedge = { afterMs: 5, budget: 1 }
    const concurrency = isNarrow ? { limit: 2, queue: 4 } : undefined
    if (isBare) return [outer as AnyLayer, ...inner]
    return [
      ...this.#planted(),
      ...(hasMonitor ? [monitor({ clock: this.#time.clock })] : []),
      ...near,
      outer as AnyLayer,
      ...(tierAbove ? stored : []),
      ...inner,
      ...(behind === undefined ? [] : [behind]),
      ...(tierAbove ? [] : stored),
      ...(hasResilience
        ? [
            resilience({
              monotonicClock: this.#time.mono,
              hedge,
              concurrency,
              breaker: { openMs: 100, window: 5 },
            }),
          ]
        : []),
    ]
  }

  #codecs(background: Background): AnyLayer[] {
    const { value, hasDelta, hasParts, hasCompression, hasEncryption, hasNames } = this.has
    const dataset = 'programs'
    const { clock } = this.#time
    return [
      codecOf(value),
      ...(hasDelta ? [delta({ minBytes: 32, maxDeltas: 4, background: background.take, clock })] : []),
      ...(hasParts ? [parts({ above: 20, size: 16, background: background.take, clock })] : []),
      ...(hasCompression ? [compression({ minBytes: 64, threads: false, withEncryption: true })] : []),
      ...(hasEncryption && !hasNames ? [encryption({ dataset, keys })] : []),
      ...(hasNames ? [encryption({ dataset, keys, names })] : []),
    ]
  }

  #caches(place: number, portOf: (lane: Lane) => Store<Bytes>, background: Background) {
    const { datasets, isOneLayer, tiers } = this.has
    const make = (): { near: AnyLayer[]; stored: AnyLayer[] } => ({
      near: this.#near(place, background),
      stored: tiers.map((namespace) => this.#stored(place, portOf(this.#tier), namespace, background)),
    })
    if (datasets === 1 || !isOneLayer) return make()
    this.#layersOfAll ??= make()
    return this.#layersOfAll
  }

  #near(place: number, background: Background): AnyLayer[] {
    const { near, share, onWrite, freshForMs, absentForMs, nearStale, nearMost, hasTags } = this.has
    if (near === undefined) return []
    const common = {
      clock: this.#clockOf(place),
      monotonicClock: this.#time.mono,
      share,
      onWrite,
      ...(nearMost === 'two' ? { maxEntries: 2 } : {}),
      ...(nearMost === 'map' ? { in: new Map<string, unknown>() as never } : {}),
      ...(hasTags ? { tags: () => ['all'] } : {}),
    }
    if (near === 'validated') return [cache({ ...common, localTier: 'validated' })]
    const renewed = { ...common, ...this.#renewal(nearStale, background) }
    if (near === 'bus') return [cache({ ...renewed, bus: this.bus as Bus, maxStaleMs: 100 })]
    // Where no entry ends, none is renewed ahead.
    const isEndless = freshForMs === Number.POSITIVE_INFINITY && absentForMs !== 100
    const ahead = isEndless ? { refreshAhead: false } : {}
    return [cache({ ...renewed, ...ahead, freshForMs, absentForMs })]
  }

  #renewal({ whileMs, ifErrorMs, softMs, isAhead }: Stale, background: Background): object {
    return {
      staleWhileRevalidateMs: whileMs,
      staleIfErrorMs: ifErrorMs,
      softTimeoutMs: ifErrorMs > 0 ? softMs : undefined,
      refreshAhead: isAhead,
      ...(whileMs > 0 || isAhead ? { background: background.take } : {}),
    }
  }

  #stored(place: number, store: Store<Bytes>, namespace: string, background: Background): AnyLayer {
    const { writes, onWrite, hasLeases, hasTags, tierStale, tierFreshMs, tierTimeoutMs } = this.has
    const isAhead = tierStale.isAhead && hasLeases
    return cache({
      store: store as AnyStore,
      ...(namespace === '' ? {} : { namespace }),
      clock: this.#clockOf(place),
      monotonicClock: this.#time.mono,
      leases: hasLeases,
      leaseWaitMs: this.#random.pick([0, 50]),
      timeoutMs: tierTimeoutMs,
      freshForMs: tierFreshMs,
      writes: hasLeases ? writes : 'available',
      onWrite: hasLeases && !hasTags ? onWrite : 'around',
      ...this.#renewal({ ...tierStale, isAhead }, background),
      ...(hasTags ? { tags: () => ['all'] } : {}),
      plaintext: 'allowed',
    })
  }
}

const plain = { deadlineAt: Number.POSITIVE_INFINITY, signal: undefined, consistency: undefined } as never
