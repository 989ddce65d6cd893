import type { Bytes, KeyValue } from '@unikv/core'
import { checkFactoryOptions, invalidConfig, type OptionNames } from '@unikv/core/adapter'
import type { KeyLaw } from '../keys/key-law.ts'
import type { OwnWorkload } from '../own/define-workload.ts'
import { portableRandom, subSeed } from '../random/random.ts'
import { type Charts, fill } from './fill.ts'
import { chart, type EhrCaller, observe, recent, writtenIn } from './operations.ts'
import { SitePlaces, type SitePlan, siteOperations } from './site/site-operations.ts'
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
  /** The store under test is that of a site before a central one. @default it is the only one */
  readonly site?: EhrSite | undefined
}

/**
 * A site with a store of its own. Operations are on the patients of the day, who were loaded from the center; further ones are `load` (the patients of
 * the next day), `flush` (what was changed since the last flush), `move` (a new address) and `elsewhere` (a new address in the center, by another site).
 */
export interface EhrSite {
  /** URL of the store that has all patients. It is filled for each store under test, and cleared in the end, but not after `kill -9`. */
  readonly central: string
  /** Patients of a day. @default 100 */
  readonly appointments?: number | undefined
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
  site: true,
}
const siteNames: OptionNames<EhrSite> = { central: true, appointments: true }

/** Observations of a patient that lists keep at least. */
const leastKept = 20

/**
 * Electronic health records: `recent` gets the five most recent observations of a patient, `chart` the patient and all observations (as many as
 * `mostObservations`, or 20), and `observe` adds one.
 * A read that does not show an observation whose write had ended before is stale, and counts apart; it knows the writes of its own thread.
 * Patients and observations have the form of HL7 FHIR. A store with ordered keys has a record for each observation, others a list for each patient.
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
  const { patients, mostObservations, reads, keys, order, seed, most, how } = settingsOf(options)
  const site = sitePlan(options, most)
  const places = site && new SitePlaces(site)
  const opened = new WeakMap<KeyValue<string, Bytes>, Promise<Charts>>()
  const keptIn = (kv: KeyValue<string, Bytes>): Promise<Charts> => {
    const kept = opened.get(kv) ?? openedHistories(kv, how)
    opened.set(kv, kept)
    return kept
  }
  const filling = { most: mostObservations, seed }
  return {
    name: 'ehr',
    records: patients,
    keys,
    keyNames: { prefix: 'patient', order },
    operations: {
      recent: { weight: reads, tellsStale: true, run: recent },
      chart: { weight: 0, tellsStale: true, run: (context, caller) => chart(context, caller, most) },
      observe: { weight: 100 - reads, run: observe },
      ...(site && siteOperations(site)),
    },
    setup: async (place) => {
      if (places !== undefined) return places.prepare(place, filling)
      return fill(await preparedHistories(place.kv, how), place, filling)
    },
    teardown: ({ kv }) => (places === undefined ? removeHistories(kv, how) : places.remove(kv)),
    state: async ({ index, random, kv }) => {
      const day = await places?.day(kv)
      if (day === undefined) await keptIn(kv)
      return {
        random: portableRandom(subSeed(seed + index, `caller ${Math.floor(random() * 2 ** 32)}`)),
        keptIn: day === undefined ? keptIn : (of) => day.siteOf(of),
        written: writtenIn(kv),
        day,
      }
    },
  }
}

/**
 * The options with their defaults.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
function settingsOf(options: EhrOptions) {
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
  const most = Math.max(leastKept, mostObservations)
  return { patients, mostObservations, reads, keys, order, seed, most, how: { style, database, most } }
}

/** @throws {StoreError} `INVALID_CONFIG` */
function sitePlan({ site, style = 'key-value' }: EhrOptions, most: number): SitePlan | undefined {
  if (site === undefined) return undefined
  checkFactoryOptions('ehr', site, siteNames)
  const { central, appointments = 100 } = site
  checkWhole('site.appointments', appointments, 1, 100_000)
  if (typeof central !== 'string' || central === '')
    throw invalidConfig(
      '`site.central` of ehr() must be the URL of the store that has all patients. Is its variable set?',
    )
  if (style !== 'key-value')
    throw invalidConfig(`\`style\` of ehr() must be 'key-value' with \`site\`, got ${style}.`)
  return { central, appointments, most }
}

function checkWhole(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return
  throw invalidConfig(
    `\`${name}\` of ehr() must be a whole number from ${least} to ${most}, got ${String(value)}.`,
  )
}
