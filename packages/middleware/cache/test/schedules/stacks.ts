import type { AnyLayer } from '@unikv/core'
import type { Random } from '@unikv/test-kit/schedules'
import { type CacheStats, cache, type ObjectCacheOptions, type StoreCacheOptions } from '../../src/index.ts'
import { ControlledBus } from './controlled-bus.ts'
import type { ControlledStore } from './controlled-store.ts'

/** What stands above the store of a schedule. */
export type Stack = 'objects' | 'store' | 'tiers' | 'three tiers' | 'validated' | 'bus'

/** Stacks whose readers see no old state, with their processes. In the short form three processes stand for two. */
export function stacksOf(isLong: boolean): readonly (readonly [Stack, number])[] {
  const all: readonly (readonly [Stack, number])[] = [
    ['objects', 1],
    ['store', 1],
    ['tiers', 1],
    ['three tiers', 1],
    ['store', 2],
    ['store', 3],
    ['validated', 2],
    ['validated', 3],
    ['bus', 2],
    ['bus', 3],
  ]
  return all.filter(([, processes]) => isLong || processes !== 2)
}

/** How old an answer may be in a stack with a bus. */
export const maxStaleMs = 100

/** The tags of a key in schedules that have tags. */
export const tagsOf = (key: string): readonly string[] => [key, 'all']

/** One tier of a process, as far as schedules look at it and invalidate its tags. */
export interface Driven {
  stats(): CacheStats
  invalidateTags(tags: readonly string[]): Promise<void>
}

/** What is wrong among several processes, for schedules to find. */
export interface Planted {
  /** They agree on nothing. */
  readonly leases?: false
  /** They trust a bus that they do not hear. */
  readonly trusts?: 'blindly'
  /** Keys have tags, which are invalidated after writes past the caches. */
  readonly hasTags?: boolean
}

const onWrites = ['around', 'through'] as const

type StoreSettings = Omit<StoreCacheOptions, 'store' | 'clock'>

type Staleness = Pick<
  ObjectCacheOptions,
  'staleWhileRevalidateMs' | 'staleIfErrorMs' | 'softTimeoutMs' | 'background'
>

type RenewalOptions = Pick<ObjectCacheOptions, 'refreshAhead' | 'jitter' | 'random' | 'monotonicClock'>

/** Makes the stack of each process of a schedule: in what processes must agree, they do. */
export class Stacks {
  readonly caches: Driven[] = []
  /** Whether the cache store may fail, or be given up, without breaking a promise. */
  readonly mayFail: boolean
  readonly #random: Random
  readonly #stack: Stack
  readonly #clock: () => number
  readonly #remote: StoreSettings
  readonly #maxStaleMs: number
  readonly #tags: { tags?: typeof tagsOf }
  readonly bus: ControlledBus

  constructor(
    random: Random,
    stack: Stack,
    isShared: boolean,
    clock: () => number,
    { leases, trusts, hasTags }: Planted,
  ) {
    this.#random = random
    this.#stack = stack
    this.#clock = clock
    this.#tags = hasTags === true ? { tags: tagsOf } : {}
    this.#maxStaleMs = trusts === 'blindly' ? 3_600_000 : maxStaleMs
    this.bus = new ControlledBus(random)
    const isConsistent = random.chance(isShared ? 0.7 : 0.3) && leases !== false
    this.mayFail = isConsistent || !isShared
    const hasLeases = leases ?? (isShared || isConsistent || hasTags === true || random.chance(0.5))
    this.#remote = {
      ...this.#freshness(),
      ...this.#remoteStaleness(),
      timeoutMs: 250,
      leases: hasLeases,
      leaseWaitMs: random.pick([0, 50, 1_000]),
      writes: isConsistent ? 'consistent' : 'available',
    }
    const renewal = this.#renewal(this.#remote.background)
    this.#remote = ofEnds({ ...this.#remote, ...renewal, ...(hasLeases ? {} : { refreshAhead: false }) })
  }

  /** The layers of one more process. */
  layers(cacheStore: ControlledStore): readonly AnyLayer[] {
    if (this.#stack === 'objects') return [this.#near({})]
    // Processes need not do the same with what they write.
    const mayFill = this.#remote.leases === true && this.#tags.tags === undefined
    const onWrite = mayFill ? this.#random.pick(onWrites) : 'around'
    const inStore = (namespace: string) =>
      this.#noted(
        cache({ ...this.#remote, ...this.#tags, onWrite, store: cacheStore, namespace, clock: this.#clock }),
      )
    const remote = inStore('near')
    if (this.#stack === 'store') return [remote]
    if (this.#stack === 'three tiers') return [this.#near({}), remote, inStore('far')]
    if (this.#stack === 'bus') return [this.#near({ bus: this.bus, maxStaleMs: this.#maxStaleMs }), remote]
    return [this.#near(this.#stack === 'validated' ? { localTier: 'validated' } : {}), remote]
  }

  #near(options: ObjectCacheOptions): AnyLayer {
    const clock = this.#clock
    const { localTier, bus } = options
    const staleness: Staleness = localTier === 'validated' || bus !== undefined ? {} : this.#staleness()
    const renewal = this.#renewal(staleness.background)
    const ofBus = bus === undefined ? {} : { absentForMs: 0 }
    const freshness =
      localTier === 'validated' ? {} : ofEnds({ ...this.#freshness(), ...staleness, ...renewal, ...ofBus })
    const share = this.#random.pick(['freeze', 'copy'] as const)
    const onWrite = this.#random.pick(onWrites)
    return this.#noted(
      cache({ ...freshness, ...options, ...this.#tags, onWrite, share, clock, monotonicClock: clock }),
    )
  }

  #freshness(): { freshForMs: number; keepForMs: number; absentForMs: number } {
    return {
      freshForMs: this.#random.pick([Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 100, 20, 5, 0]),
      keepForMs: this.#random.pick([Number.POSITIVE_INFINITY, 100]),
      absentForMs: this.#random.pick([0, 100, Number.POSITIVE_INFINITY]),
    }
  }

  /** Loads ahead of the end are begun early, as the clock moves by many load times at once. */
  #renewal(background: unknown): RenewalOptions {
    const random = (): number => this.#random.next()
    const refreshAhead =
      background !== undefined && this.#random.pick([false, { beta: 10 }, { beta: 10_000 }])
    return { refreshAhead, jitter: this.#random.pick([0, 0, 0.1, 1]), random, monotonicClock: this.#clock }
  }

  #staleness(): Staleness {
    const background = (): void => {}
    return this.#random.pick<Staleness>([
      {},
      { background },
      { staleWhileRevalidateMs: 100, background },
      { staleIfErrorMs: 100 },
      { staleWhileRevalidateMs: 20, background, staleIfErrorMs: Number.POSITIVE_INFINITY, softTimeoutMs: 10 },
    ])
  }

  #remoteStaleness(): StoreSettings {
    const background = (): void => {}
    return this.#random.pick<StoreSettings>([
      {},
      { background },
      { staleWhileRevalidateMs: 100, background, staleIfErrorMs: 100 },
      { staleIfErrorMs: Number.POSITIVE_INFINITY, softTimeoutMs: 10 },
    ])
  }

  #noted<T extends Driven>(layer: T): T {
    this.caches.push(layer)
    return layer
  }
}

/** Without what a cache refuses where no entry ends. */
function ofEnds<T extends Pick<StoreCacheOptions, 'freshForMs' | 'absentForMs'>>(options: T): T {
  const { freshForMs, absentForMs = 0 } = options
  const isEndless = [0, Number.POSITIVE_INFINITY].includes(absentForMs)
  if (freshForMs !== Number.POSITIVE_INFINITY || !isEndless) return options
  return { ...options, refreshAhead: false, jitter: 0 }
}
