import type { Bytes, KeyValue } from '@unikv/core'
import { checkFactoryOptions, invalidConfig, type OptionNames } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { KeyLaw } from '../keys/key-law.ts'
import type { OwnContext, OwnWorkload } from '../own/define-workload.ts'
import { portableRandom, type Random, subSeed } from '../random/random.ts'
import { fill, type Histories, type Observation, observation } from './observation.ts'
import { openedHistories, preparedHistories, removeHistories } from './style.ts'

/** Settings of `ehr`. */
export interface EhrOptions {
  /** @default 1000 */
  readonly patients?: number | undefined
  /** Most observations of a patient at the start; each number from 0 up to it is as likely. @default 20: 10 on average */
  readonly mostObservations?: number | undefined
  /** Percentage of reads; the other operations are writes. @default 80 */
  readonly reads?: number | undefined
  /** The law by which patients are chosen. @default 'uniform' */
  readonly keys?: KeyLaw | string | undefined
  /** The order of the keys of patients: by number, or hashed, so that stores that split ranges of keys spread them. @default 'hashed' */
  readonly order?: 'ordered' | 'hashed' | undefined
  /** The made-up values follow from it. @default 42 */
  readonly seed?: number | undefined
  /**
   * `entities`: the observations of a patient are a group of `@unikv/entity`, whose conflicts are met by transactions; it needs conditional writes.
   * `native`: by statements of the store itself, in a table made for its reads, so that the cost of one interface for all stores shows. For
   * Cassandra, MongoDB, MySQL, PostgreSQL and Redis. After `kill -9` the table `unikv_ehr_…` stays. @default 'key-value'
   */
  readonly style?: 'key-value' | 'entities' | 'native' | undefined
  /** With `native`: the keyspace of Cassandra, or the database of MongoDB. @default 'unikv' */
  readonly database?: string | undefined
}

const names: OptionNames<EhrOptions> = {
  patients: true,
  mostObservations: true,
  reads: true,
  keys: true,
  order: true,
  seed: true,
  style: true,
  database: true,
}

/** Observations that a read asks for. */
const recentCount = 5

/**
 * Electronic health records: a read gets the five most recent observations of a patient, a write adds one to a patient.
 * A read that does not show an observation whose write had ended before is stale, and counts apart; it knows the writes of its own thread.
 * Observations have the form of HL7 FHIR. A store with ordered keys has a record for each observation, others a list for each patient.
 *
 * ```ts
 * export default ehr({ patients: 20_000 })
 * ```
 *
 * Source: LEAP4BD (Klein et al., 2015): a million patients, 0 to 20 observations each. Its text says seven on average, its totals ten.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function ehr(options: EhrOptions = {}): OwnWorkload<EhrCaller> {
  checkFactoryOptions('ehr', options, names)
  const {
    patients = 1_000,
    mostObservations = 20,
    reads = 80,
    keys = 'uniform',
    order = 'hashed',
    seed = 42,
    style = 'key-value',
    database = 'unikv',
  } = options
  const how = { style, database }
  checkWhole('patients', patients, 1, 1e9)
  checkWhole('mostObservations', mostObservations, 0, 1_000)
  checkWhole('seed', seed, 0, 2 ** 32 - 1)
  if (!/^\w+$/.test(database))
    throw invalidConfig(`\`database\` of ehr() must have letters, digits and _ only.`)
  if (!['key-value', 'entities', 'native'].includes(style))
    throw invalidConfig(
      `\`style\` of ehr() must be 'key-value', 'entities' or 'native', got ${String(style)}.`,
    )
  if (!(reads >= 0 && reads <= 100))
    throw invalidConfig(`\`reads\` of ehr() must be from 0 to 100, got ${reads}.`)
  const opened = new WeakMap<KeyValue<string, Bytes>, Promise<Histories>>()
  const keptIn = (kv: KeyValue<string, Bytes>): Promise<Histories> => {
    const kept = opened.get(kv) ?? openedHistories(kv, how)
    opened.set(kv, kept)
    return kept
  }
  return {
    name: 'ehr',
    records: patients,
    keys,
    keyNames: { prefix: 'patient', order },
    operations: {
      recent: { weight: reads, run: recent },
      observe: { weight: 100 - reads, run: observe },
    },
    setup: async (place) =>
      fill(await preparedHistories(place.kv, how), place, { most: mostObservations, seed }),
    teardown: ({ kv }) => removeHistories(kv, how),
    state: async ({ index, random, kv }) => ({
      random: portableRandom(subSeed(seed + index, `caller ${Math.floor(random() * 2 ** 32)}`)),
      keptIn: await keptIn(kv).then(() => keptIn),
      written: writtenIn(kv),
    }),
  }
}

/** The newest observation of each patient that is written for certain. */
type Written = Map<string, Observation>

/** The writes of the callers of a run: they have the same records, and the next run has others. */
const writtenBy = new WeakMap<KeyValue<string, Bytes>, Written>()

function writtenIn(kv: KeyValue<string, Bytes>): Written {
  const written = writtenBy.get(kv) ?? new Map()
  writtenBy.set(kv, written)
  return written
}

/** A caller's own random numbers, and what it knows of the store. */
interface EhrCaller {
  readonly random: Random
  /** Where a connection finds observations. */
  readonly keptIn: (kv: KeyValue<string, Bytes>) => Promise<Histories>
  readonly written: Written
}

async function recent(context: OwnContext, { keptIn, written }: EhrCaller): Promise<unknown> {
  const { keyOf, draw, miss, stale } = context
  const kept = await keptIn(context.kv)
  const patient = keyOf(draw())
  const expected = written.get(patient)
  const found = await kept.recent(patient, recentCount)
  if (expected !== undefined && lacks(found, expected)) return stale
  return found.length === 0 ? miss : found
}

/** Whether a reader should have seen an observation: newer ones may have taken its place. */
function lacks(found: readonly Observation[], { id, effectiveDateTime }: Observation): boolean {
  if (found.some((one) => one.id === id)) return false
  return found.length < recentCount || found.some((one) => one.effectiveDateTime < effectiveDateTime)
}

async function observe(
  { keyOf, draw, kv }: OwnContext,
  { keptIn, random, written }: EhrCaller,
): Promise<unknown> {
  const kept = await keptIn(kv)
  const patient = keyOf(draw())
  const one = observation(random, patient, wallClock())
  await kept.add(patient, one)
  const last = written.get(patient)
  if (last === undefined || last.effectiveDateTime < one.effectiveDateTime) written.set(patient, one)
  return one
}

function checkWhole(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return
  throw invalidConfig(
    `\`${name}\` of ehr() must be a whole number from ${least} to ${most}, got ${String(value)}.`,
  )
}
