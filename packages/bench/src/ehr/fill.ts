import type { OwnPlace } from '../own/define-workload.ts'
import { portableRandom, subSeed } from '../random/random.ts'
import { below, type Observation, observation } from './observation.ts'
import { type Patient, patient } from './patient.ts'

/** A patient, and observations in any order. */
export interface History {
  readonly patient: Patient
  readonly observations: readonly Observation[]
}

/** Patients with their observations, in a store. */
export interface Histories extends Charts {
  /** Write some patients and their first observations. */
  load(histories: readonly History[]): Promise<void>
}

/** Reads and changes of patients in a store. */
export interface Charts {
  /** Add one observation to a patient; `false`: the patient is not there. */
  add(patient: string, one: Observation): Promise<unknown>
  /** The most recent observations, the newest first. */
  recent(patient: string, count: number): Promise<readonly Observation[]>
  /** A patient and the most recent observations, the newest first; `undefined`: there is no such patient. */
  chart(patient: string, count: number): Promise<History | undefined>
}

/** The first observations are of the year before this time. */
const startAt = Date.UTC(2025, 0, 1)
const yearMs = 31_536_000_000
/** Patients and observations that are written by one call. */
const batch = 100
/** Calls at the same time: a store with several nodes has work for each. */
const atOnce = 4

/** The amount of records at the start. */
interface Filling {
  /** Most observations of a patient; each number from 0 up to it is as likely. */
  readonly most: number
  readonly seed: number
}

/** Write the first patients and observations. */
export async function fill(kept: Histories, place: OwnPlace, filling: Filling): Promise<void> {
  let loads: History[][] = []
  for (const some of inBatches(historiesOf(place, filling))) {
    loads.push(some)
    if (loads.length < atOnce) continue
    place.signal.throwIfAborted()
    await Promise.all(loads.map((one) => kept.load(one)))
    loads = []
  }
  await Promise.all(loads.map((one) => kept.load(one)))
}

function* historiesOf(place: OwnPlace, { most, seed }: Filling): Generator<History> {
  const { keyOf, records, firstRecord } = place
  const random = portableRandom(seed)
  const people = portableRandom(subSeed(seed, 'patients'))
  for (let i = 0; i < records; i++) {
    const key = keyOf(firstRecord + i)
    const observations = Array.from({ length: below(random, most + 1) }, () =>
      observation(random, key, startAt - below(random, yearMs)),
    )
    yield { patient: patient(people, key), observations }
  }
}

function* inBatches(all: Iterable<History>): Generator<History[]> {
  let some: History[] = []
  let count = 0
  for (const history of all) {
    some.push(history)
    count += 1 + history.observations.length
    if (count < batch) continue
    yield some
    some = []
    count = 0
  }
  if (some.length > 0) yield some
}
