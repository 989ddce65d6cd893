import { StoreError } from '@unikv/core'
import { checkFactoryOptions, type OptionNames } from '@unikv/core/adapter'
import { wallClock } from '@unikv/core/platform'
import type { KeyLaw } from '../keys.ts'
import type { OwnContext, OwnPlace, OwnWorkload } from '../own/define-workload.ts'
import { portableRandom, type Random, subSeed } from '../random/random.ts'
import { histories } from './histories.ts'
import { observation } from './observation.ts'

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
}

const names: OptionNames<EhrOptions> = {
  patients: true,
  mostObservations: true,
  reads: true,
  keys: true,
  order: true,
  seed: true,
}

/** Observations that a read asks for. */
const recentCount = 5

/** The first observations are of the year before this time. */
const startAt = Date.UTC(2025, 0, 1)
const yearMs = 31_536_000_000
const batch = 100
/** Batches that are written at the same time: a store with several nodes has work for each. */
const atOnce = 4

/**
 * Electronic health records: a read gets the five most recent observations of a patient, a write adds one to a patient.
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
export function ehr(options: EhrOptions = {}): OwnWorkload<Random> {
  checkFactoryOptions('ehr', options, names)
  const {
    patients = 1_000,
    mostObservations = 20,
    reads = 80,
    keys = 'uniform',
    order = 'hashed',
    seed = 42,
  } = options
  checkWhole('patients', patients, 1, 1e9)
  checkWhole('mostObservations', mostObservations, 0, 1_000)
  checkWhole('seed', seed, 0, 2 ** 32 - 1)
  if (!(reads >= 0 && reads <= 100)) throw wrong(`\`reads\` of ehr() must be from 0 to 100, got ${reads}.`)
  return {
    name: 'ehr',
    records: patients,
    keys,
    keyNames: { prefix: 'patient', order },
    operations: {
      recent: { weight: reads, run: recent },
      observe: { weight: 100 - reads, run: observe },
    },
    setup: (place) => fill(place, mostObservations, seed),
    state: ({ index, random }) =>
      portableRandom(subSeed(seed + index, `caller ${Math.floor(random() * 2 ** 32)}`)),
  }
}

async function recent({ kv, keyOf, draw, miss }: OwnContext): Promise<unknown> {
  const found = await histories(kv).recent(keyOf(draw()), recentCount)
  return found.length === 0 ? miss : found
}

async function observe({ kv, keyOf, draw }: OwnContext, random: Random): Promise<unknown> {
  const patient = keyOf(draw())
  return histories(kv).add(patient, observation(random, patient, wallClock()))
}

/** The observations that are there from the start. */
async function fill(
  { kv, keyOf, records, firstRecord, signal }: OwnPlace,
  most: number,
  seed: number,
): Promise<void> {
  const random = portableRandom(seed)
  const kept = histories(kv)
  let entries: (readonly [string, Uint8Array])[] = []
  let batches: (typeof entries)[] = []
  for (let i = 0; i < records; i++) {
    const patient = keyOf(firstRecord + i)
    const count = Math.floor(random.next() * (most + 1))
    const some = Array.from({ length: count }, () =>
      observation(random, patient, startAt - Math.floor(random.next() * yearMs)),
    )
    entries.push(...kept.entries(patient, some))
    const isLast = i === records - 1
    if (entries.length < batch && !isLast) continue
    batches.push(entries)
    entries = []
    if (batches.length < atOnce && !isLast) continue
    signal.throwIfAborted()
    await Promise.all(batches.map((one) => kv.setMany(one)))
    batches = []
  }
}

function checkWhole(name: string, value: unknown, least: number, most: number): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return
  throw wrong(`\`${name}\` of ehr() must be a whole number from ${least} to ${most}, got ${String(value)}.`)
}

function wrong(message: string): StoreError {
  return new StoreError('INVALID_CONFIG', message)
}
