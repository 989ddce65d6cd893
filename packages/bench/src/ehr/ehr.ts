import type { Bytes, KeyValue } from '@unikv/core'
import {
  invalidConfig,
  type OptionsOf,
  oneOf,
  part,
  readOptions,
  type SettingsOf,
  valid,
  whole,
} from '@unikv/core/adapter'
import type { KeyLaw } from '../keys/key-law.ts'
import type { OwnWorkload } from '../own/define-workload.ts'
import { portableRandom, subSeed } from '../random/random.ts'
import { type Charts, fill } from './fill.ts'
import { chart, type EhrCaller, observe, recent, writtenIn } from './operations.ts'
import { SitePlaces, type SitePlan, siteOperations } from './site/site-operations.ts'
import { openedHistories, preparedHistories, removeHistories } from './style.ts'

/**
 * A site with a store of its own. Operations are on the patients of the day, who were loaded from the center; further ones are `load` (the patients of
 * the next day), `flush` (what was changed since the last flush), `move` (a new address) and `elsewhere` (a new address in the center, by another site).
 */
const siteTable = {
  /** URL of the store that has all patients. It is filled for each store under test, and cleared in the end, but not after `kill -9`. */
  central: (given: string, name: string, whose: string): string => {
    if (typeof given === 'string' && given !== '') return given
    throw invalidConfig(
      `\`${name}\` of ${whose}() must be the URL of the store that has all patients. Is its variable set?`,
    )
  },
  /** Patients of a day. @default 100 */
  appointments: whole(100, 1, 100_000),
}

const table = {
  /** @default 1,000 */
  patients: whole(1_000, 1, 1_000_000_000),
  /** Most observations of a patient at the start; each number from 0 up to it is as likely. @default 20: 10 on average */
  mostObservations: whole(20, 0, 1_000),
  /** Percentage of reads; the other operations are writes. @default 80 */
  reads: valid<number, number>(
    'be from 0 to 100',
    (given) => typeof given === 'number' && given >= 0 && given <= 100,
    80,
  ),
  /** The law by which patients are chosen. @default 'uniform' */
  keys: (given: KeyLaw | string | undefined = 'uniform') => given,
  /** The order of the keys of patients: by number, or hashed, so that stores that split ranges of keys spread them. @default 'hashed' */
  order: oneOf('hashed', ['ordered', 'hashed']),
  /** The made-up values follow from it. @default 42 */
  seed: whole(42, 0, 4_294_967_295),
  /**
   * `entities`: the observations of a patient are a group of `@unikv/entity`, whose conflicts are met by transactions; it needs conditional writes.
   * `native`: by statements of the store itself, in a table made for its reads, so that the cost of one interface for all stores shows. For
   * Cassandra, MongoDB, MySQL, PostgreSQL and Redis. After `kill -9` the table `unikv_ehr_…` stays. @default 'key-value'
   */
  style: oneOf('key-value', ['key-value', 'entities', 'native']),
  /** With `native`: the keyspace of Cassandra, or the database of MongoDB. @default 'unikv' */
  database: valid<string, string>(
    'have letters, digits and _ only',
    (given) => /^\w+$/.test(String(given)),
    'unikv',
  ),
  /** The store under test is that of a site before a central one. @default it is the only one */
  site: part(siteTable),
}

/** Settings of `ehr`. */
export interface EhrOptions extends OptionsOf<typeof table> {}

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
  const settings = readOptions('ehr', table, options)
  const { patients, mostObservations, reads, keys, order, seed, style, database } = settings
  const most = Math.max(leastKept, mostObservations)
  const how = { style, database, most }
  const site = sitePlan(settings, most)
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

/** @throws {StoreError} `INVALID_CONFIG` */
function sitePlan({ site, style }: SettingsOf<typeof table>, most: number): SitePlan | undefined {
  if (site !== undefined && style !== 'key-value')
    throw invalidConfig(`\`style\` of ehr() must be 'key-value' with \`site\`, got ${style}.`)
  return site && { ...site, most }
}
