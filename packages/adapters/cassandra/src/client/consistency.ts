/** Consistency levels of Cassandra by the numbers of its protocol. */
export const levels: Readonly<Record<CassandraLevel, number>> = Object.freeze({
  one: 1,
  two: 2,
  three: 3,
  quorum: 4,
  all: 5,
  local_quorum: 6,
  each_quorum: 7,
  serial: 8,
  local_serial: 9,
  local_one: 10,
})

/** A consistency level of Cassandra, in its own words. */
export type CassandraLevel = PlainLevel | SerialLevel

/** Levels that plain reads and writes may have. */
export type PlainLevel = PlainLevels[number]

/** Which replicas agree on lightweight transactions: those of all data centres, or of the local one. */
export type SerialLevel = 'serial' | 'local_serial'

/** Consistency levels of a call without conditions. */
export type PlainConsistency = readonly ['eventual', 'strong', ...PlainLevels]
type PlainLevels = ['one', 'local_one', 'two', 'three', 'quorum', 'local_quorum', 'each_quorum', 'all']

/** Consistency levels of a call with conditions; of `serial` and `local_serial`, the one of the store. */
export type ConditionalConsistency = readonly ['eventual', 'strong', ...PlainLevels, SerialLevel]

/** The levels that calls may ask for. */
export function consistencyOf({
  conditions,
  consistency,
}: ConsistencySettings): PlainConsistency | ConditionalConsistency {
  return conditions && isSerial(consistency) ? [...plainConsistency, consistency] : plainConsistency
}

function isSerial(level: CassandraLevel): level is SerialLevel {
  return level === 'serial' || level === 'local_serial'
}

const plainConsistency: PlainConsistency = [
  'eventual',
  'strong',
  'one',
  'local_one',
  'two',
  'three',
  'quorum',
  'local_quorum',
  'each_quorum',
  'all',
]

/** The numbers that a statement travels with. */
export interface Consistency {
  readonly consistency: number
  readonly serialConsistency?: number
}

/** Settings that decide the levels of a store. */
export interface ConsistencySettings {
  readonly conditions: boolean
  readonly consistency: CassandraLevel
  /** The level of reads, where it is another one than that of writes. Without conditions only. */
  readonly readLevel?: PlainLevel | undefined
}

/** Levels of writes and reads of their own. */
export interface LevelsApart {
  readonly write: PlainLevel
  readonly read: PlainLevel
}

/** The levels of a read of one key. */
export function readConsistency(settings: ConsistencySettings, asked: string | undefined): Consistency {
  const level = named(asked, ofReads(settings))
  return { consistency: levels[level] }
}

/** Whether the replicas agree on what a read of one key gives. */
export function isSerialRead(settings: ConsistencySettings, asked: string | undefined): boolean {
  return isSerial(named(asked, settings))
}

/** The levels of a read of many partitions, which cannot be serial: a quorum sees every acknowledged write. */
export function scanConsistency(settings: ConsistencySettings, asked: string | undefined): Consistency {
  return { consistency: levels[quorumFor(named(asked, ofReads(settings)))] }
}

/** The levels of a write; with conditions that of the commit, and who agrees. */
export function writeConsistency(settings: ConsistencySettings, asked: string | undefined): Consistency {
  const level = named(asked, settings)
  if (!settings.conditions) return { consistency: levels[level] }
  return { consistency: levels[quorumFor(level)], serialConsistency: levels[settings.consistency] }
}

/** Whether a write of this level is done only when more replicas have it than every reader needs. */
export function wantsMoreThanQuorum(settings: ConsistencySettings, asked: string | undefined): boolean {
  return ['two', 'three', 'each_quorum', 'all'].includes(named(asked, settings))
}

function ofReads(settings: ConsistencySettings): ConsistencySettings {
  const { readLevel } = settings
  return readLevel === undefined ? settings : { conditions: false, consistency: readLevel }
}

function named(asked: string | undefined, { conditions, consistency }: ConsistencySettings): CassandraLevel {
  if (asked === undefined) return consistency
  if (asked === 'eventual') return 'one'
  if (asked === 'strong') return conditions ? consistency : 'quorum'
  return asked as CassandraLevel // one of the declared ones: core has looked
}

function quorumFor(level: CassandraLevel): CassandraLevel {
  if (level === 'serial') return 'quorum'
  return level === 'local_serial' ? 'local_quorum' : level
}
