import type { Random } from '@unikv/test-kit/schedules'

/** What a composition is made of. */
export interface Features {
  readonly processes: number
  /** Two: the second process stands for another stack of the same one, over a dataset of its own. */
  readonly datasets: 1 | 2
  readonly base: 'plain' | 'mirror' | 'fallback'
  /** Whether the mirror keeps what is owed in a journal. */
  readonly isOwedDurably: boolean
  readonly value: 'plain' | 'private'
  readonly near: 'plain' | 'validated' | 'bus' | undefined
  readonly nearMost: 'many' | 'two' | 'map'
  readonly nearStale: Stale
  readonly tiers: readonly string[]
  /** Whether the tiers stand above compression and encryption. */
  readonly tierAbove: boolean
  readonly tierFreshMs: number
  readonly tierStale: Stale
  readonly tierTimeoutMs: number
  readonly hasLeases: boolean
  readonly hasTags: boolean
  /** Whether the stacks of one process share their layers. */
  readonly isOneLayer: boolean
  readonly behind: 'awaited' | 'memory' | 'journal' | undefined
  readonly hasMonitor: boolean
  readonly hasResilience: boolean
  readonly isNarrow: boolean
  readonly hasDelta: boolean
  readonly hasParts: boolean
  readonly hasCompression: boolean
  readonly hasEncryption: boolean
  readonly hasNames: boolean
  readonly isMerged: boolean
  readonly share: 'freeze' | 'copy'
  readonly onWrite: 'around' | 'through'
  readonly writes: 'available' | 'consistent'
  readonly freshForMs: number
  readonly absentForMs: number
  /** Whether the store refuses some values for good. */
  readonly isPicky: boolean
  /** By how much the clocks of processes differ at most, in milliseconds. */
  readonly skewMs: number
}

/** How a cache answers what is no longer fresh. */
export interface Stale {
  readonly whileMs: number
  readonly ifErrorMs: number
  readonly softMs: number | undefined
  readonly isAhead: boolean
}

const never: Stale = { whileMs: 0, ifErrorMs: 0, softMs: undefined, isAhead: false }
const infinite = Number.POSITIVE_INFINITY

/** A stack that may be. */
export function featuresOf(random: Random): Features {
  const processes = random.pick([1, 1, 2, 3])
  const isAlone = processes === 1
  const datasets = processes === 2 && random.chance(0.4) ? 2 : 1
  const behind = random.chance(0.3) ? random.pick(['awaited', 'memory', 'journal'] as const) : undefined
  // A bus, or a tier that is shared, is refused above a queue that answers early.
  const isEarly = behind !== undefined && behind !== 'awaited'
  const base = random.pick(['plain', 'plain', 'plain', 'mirror', 'fallback'] as const)
  const hasEncryption = random.chance(0.4)
  const nears =
    isAlone || datasets === 2 || isEarly
      ? (['plain', 'plain', 'validated'] as const)
      : (['plain', 'validated', 'bus'] as const)
  const near = random.chance(0.65) ? random.pick(nears) : undefined
  const tiers = datasets === 2 ? random.pick([[], ['']]) : random.pick([[], [], ['one'], ['one', 'two']])
  const hasTags =
    datasets === 1 &&
    behind === undefined &&
    base === 'plain' &&
    near !== 'bus' &&
    (near !== undefined || tiers.length > 0) &&
    random.chance(0.4)
  const isShared = processes > 1 && datasets === 1
  return {
    processes,
    datasets,
    behind,
    base,
    near,
    tiers,
    hasTags,
    hasEncryption,
    isOwedDurably: random.chance(0.5),
    value: random.pick(['plain', 'plain', 'private'] as const),
    nearMost: random.pick(['many', 'many', 'two', 'map'] as const),
    nearStale: near === 'validated' ? never : staleOf(random),
    tierAbove: !isEarly && random.chance(0.5),
    tierFreshMs: isShared ? 100 : random.pick([5, 100, 60_000]),
    tierStale: staleOf(random),
    tierTimeoutMs: random.pick([250, 250, 20]),
    hasLeases: hasTags || random.chance(0.8),
    isOneLayer: random.chance(0.5),
    hasMonitor: random.chance(0.2),
    hasResilience: random.chance(0.3),
    isNarrow: random.chance(0.2),
    hasDelta: behind === undefined && random.chance(0.25),
    hasCompression: random.chance(0.3),
    hasNames: hasEncryption && random.chance(0.3) && !isEarly,
    isMerged: random.chance(0.5),
    share: random.pick(['freeze', 'copy'] as const),
    onWrite: random.pick(['around', 'through'] as const),
    writes: random.pick(['available', 'consistent'] as const),
    freshForMs: isShared ? 100 : random.pick([infinite, 100, 5]),
    absentForMs: isShared ? 100 : random.pick([0, 100, infinite]),
    isPicky: random.chance(behind === undefined ? 0.1 : 0.4),
    skewMs: random.pick([0, 0, 0, 3_000]),
    // Last, so that programs of a seed stay what they are.
    hasParts: behind === undefined && random.chance(0.2),
  }
}

function staleOf(random: Random): Stale {
  if (random.chance(0.7)) return never
  return {
    whileMs: random.pick([0, 100]),
    ifErrorMs: random.pick([0, 200]),
    softMs: random.pick([undefined, 20]),
    isAhead: random.chance(0.3),
  }
}

/** How old an answer may be that another process wrote. */
export function staleMsOf(has: Features): number {
  if (has.processes === 1 || has.datasets === 2) return 0
  // Others see what a queue holds when it is in the store.
  if (has.behind !== undefined && has.behind !== 'awaited') return infinite
  const isStrict = has.hasLeases && has.writes === 'consistent'
  const ofTier = (isStrict ? 0 : has.tierFreshMs) + windowOf(has.tierStale)
  const near = has.near === undefined || has.near === 'validated' ? 0 : 100 + windowOf(has.nearStale)
  return near + ofTier * has.tiers.length
}

function windowOf({ whileMs, ifErrorMs }: Stale): number {
  return Math.max(whileMs, ifErrorMs)
}

/** The layers by name, for the report of a violation. */
export function titleOf(has: Features): string {
  const tiers = has.tiers.map(
    (tier) =>
      `tier ${tier} ${has.hasLeases ? has.writes : 'without leases'} ${has.tierFreshMs}${staleTitle(has.tierStale)}`,
  )
  return [
    has.hasMonitor && 'monitor',
    has.near &&
      `cache ${has.near} ${has.freshForMs}/${has.absentForMs} ${has.onWrite} ${has.nearMost}${staleTitle(has.nearStale)}`,
    has.value,
    has.tierAbove && tiers,
    has.hasDelta && 'delta',
    has.hasParts && 'parts',
    has.hasCompression && 'compression',
    has.hasEncryption && `encryption${has.hasNames ? ' with names' : ''}`,
    has.behind && `write-behind ${has.behind}`,
    !has.tierAbove && tiers,
    has.hasResilience && `resilience${has.isNarrow ? ' narrow' : ''}`,
    `${has.base}${has.base === 'mirror' && has.isOwedDurably ? ' with journal' : ''}`,
    has.isMerged && 'merged',
    has.hasTags && 'tags',
    has.datasets === 2 && `two datasets${has.isOneLayer ? ' under the same layers' : ''}`,
    has.isPicky && 'picky',
    has.skewMs > 0 && 'skewed',
  ]
    .flat()
    .filter((one) => one !== false && one !== undefined)
    .join(', ')
}

function staleTitle({ whileMs, ifErrorMs, softMs, isAhead }: Stale): string {
  return `${whileMs > 0 ? ' stale while' : ''}${ifErrorMs > 0 ? ' stale if' : ''}${softMs ? ' soft' : ''}${isAhead ? ' ahead' : ''}`
}
