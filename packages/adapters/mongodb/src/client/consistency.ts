/**
 * The failure that an acknowledged write survives: none (`memory`: the primary has it, its journal is written within 100 ms), a
 * crash of the machine (`flushed`: in the journals of a majority), the loss of one (`replicated`: the same, of a
 * replica set that has more than one member with data).
 */
export type MongodbDurability = 'memory' | 'flushed' | 'replicated'

/** The durabilities that can be asked for. */
export const durabilities: readonly MongodbDurability[] = ['memory', 'flushed', 'replicated']

/** `strong` is `linearizable`; the last three are MongoDB's own read concerns, at the primary. */
export type ConsistencyLevel = 'eventual' | 'strong' | 'local' | 'majority' | 'linearizable'

/** The levels that a call may ask for. */
export const consistencyLevels: readonly ConsistencyLevel[] = Object.freeze([
  'eventual',
  'strong',
  'local',
  'majority',
  'linearizable',
] as const)

/** The members that a read may ask. */
export type Preference = 'primary' | 'primaryPreferred' | 'secondaryPreferred'

/** The members that reads may ask whose level leaves it open. */
export type ReadPreference = Exclude<Preference, 'secondaryPreferred'>

/** The preferences that can be asked for. */
export const readPreferences: readonly ReadPreference[] = ['primary', 'primaryPreferred']

/** The member that a read asks, and the writes it may see. */
export interface Reading {
  readonly preference: Preference
  readonly concern: { readonly level: 'local' | 'majority' | 'linearizable' }
}

/** When a write counts as done. */
export interface WriteConcern {
  readonly w: 1 | 'majority'
  readonly j: boolean
}

const fromAnyone: Reading = { preference: 'secondaryPreferred', concern: { level: 'local' } }
const local: Reading = { preference: 'primary', concern: { level: 'local' } }
const majority: Reading = { preference: 'primary', concern: { level: 'majority' } }
const linearizable: Reading = { preference: 'primary', concern: { level: 'linearizable' } }

const readings: ReadonlyMap<string, Reading> = new Map<ConsistencyLevel, Reading>([
  ['eventual', fromAnyone],
  ['local', local],
  ['majority', majority],
  ['linearizable', linearizable],
  ['strong', linearizable],
])

/**
 * How a call with this level reads. Without one it sees what no failover takes back; with writes that one member
 * acknowledges, it must see those.
 */
export function readingAt(
  level: string | undefined,
  durability: MongodbDurability,
  preference: ReadPreference,
): Reading {
  const asked = level === undefined ? undefined : readings.get(level)
  const reading = asked ?? (durability === 'memory' ? local : majority)
  // Only the primary can promise that a read is linearizable.
  const isOpen = reading.preference === 'primary' && reading !== linearizable
  return isOpen ? { ...reading, preference } : reading
}

const ofMajority: ReadonlySet<string | undefined> = new Set(['strong', 'majority', 'linearizable'])

/** When a write with this level is done: never sooner than the durability says. */
export function writeConcernAt(level: string | undefined, durability: MongodbDurability): WriteConcern {
  if (durability !== 'memory') return { w: 'majority', j: true }
  return { w: ofMajority.has(level) ? 'majority' : 1, j: false }
}
