import type { OwnPlace } from '../own/define-workload.ts'
import { portableRandom, type Random } from '../random/random.ts'

/** Vital signs and laboratory values by their LOINC code (https://loinc.org), with unit and usual range. */
const kinds: readonly (readonly [code: string, display: string, unit: string, low: number, high: number])[] =
  [
    ['8867-4', 'Heart rate', '/min', 55, 110],
    ['8480-6', 'Systolic blood pressure', 'mm[Hg]', 95, 165],
    ['8462-4', 'Diastolic blood pressure', 'mm[Hg]', 55, 105],
    ['8310-5', 'Body temperature', 'Cel', 36, 39],
    ['2708-6', 'Oxygen saturation in Arterial blood', '%', 90, 100],
    ['2339-0', 'Glucose [Mass/volume] in Blood', 'mg/dL', 65, 180],
    ['718-7', 'Hemoglobin [Mass/volume] in Blood', 'g/dL', 11, 18],
    ['2160-0', 'Creatinine [Mass/volume] in Serum or Plasma', 'mg/dL', 0.5, 1.8],
    ['2823-3', 'Potassium [Moles/volume] in Serum or Plasma', 'mmol/L', 3.2, 5.5],
    ['2951-2', 'Sodium [Moles/volume] in Serum or Plasma', 'mmol/L', 130, 150],
  ]

const notes = [
  'Taken at rest in a sitting position.',
  'Repeated after five minutes, as the first value was outside of the reference range.',
  'Sample was slightly hemolyzed; interpret with care.',
  'Fasting for at least eight hours before the sample was taken. The patient reports no new medication.',
]

/** An observation of a patient as HL7 FHIR R4 has it, in 600 to 900 bytes of JSON. */
export interface Observation {
  readonly resourceType: 'Observation'
  readonly id: string
  readonly effectiveDateTime: string
  readonly [field: string]: unknown
}

/** A patient, and observations in any order. */
export type History = readonly [patient: string, observations: readonly Observation[]]

/** The observations of patients in a store. */
export interface Histories {
  /** Write the first observations of some patients. */
  load(histories: readonly History[]): Promise<void>
  /** Add one observation. */
  add(patient: string, one: Observation): Promise<void>
  /** The most recent observations, the newest first. */
  recent(patient: string, count: number): Promise<readonly Observation[]>
}

/**
 * An observation with made-up values.
 *
 * @param patient the key of the patient
 * @param at milliseconds since the epoch
 */
export function observation(random: Random, patient: string, at: number): Observation {
  const [code, display, unit, low, high] = kinds[below(random, kinds.length)] as (typeof kinds)[number]
  const value = Number((low + random.next() * (high - low)).toFixed(1))
  const quantity = (amount: number): object => ({
    value: amount,
    unit,
    system: 'http://unitsofmeasure.org',
    code: unit,
  })
  const category = code.startsWith('8') ? 'vital-signs' : 'laboratory'
  return {
    resourceType: 'Observation',
    id: `${hex(random)}${hex(random)}`,
    status: 'final',
    category: [
      { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: category }] },
    ],
    code: { coding: [{ system: 'http://loinc.org', code, display }], text: display },
    subject: { reference: `Patient/${patient}` },
    effectiveDateTime: new Date(at).toISOString(),
    performer: [{ reference: `Practitioner/${below(random, 500)}` }],
    valueQuantity: quantity(value),
    referenceRange: [{ low: quantity(low), high: quantity(high) }],
    ...(random.next() < 0.4 ? { note: [{ text: notes[below(random, notes.length)] }] } : {}),
  }
}

function below(random: Random, end: number): number {
  return Math.floor(random.next() * end)
}

function hex(random: Random): string {
  return random.uint32().toString(16).padStart(8, '0')
}

/** The first observations are of the year before this time. */
const startAt = Date.UTC(2025, 0, 1)
const yearMs = 31_536_000_000
/** Observations that are written by one call. */
const batch = 100
/** Calls at the same time: a store with several nodes has work for each. */
const atOnce = 4

/** The observations that are there from the start: of each patient any number up to `most`, each as likely. */
export async function fill(
  kept: Histories,
  place: OwnPlace,
  { most, seed }: { readonly most: number; readonly seed: number },
): Promise<void> {
  let loads: History[][] = []
  for (const some of inBatches(historiesOf(place, most, seed))) {
    loads.push(some)
    if (loads.length < atOnce) continue
    place.signal.throwIfAborted()
    await Promise.all(loads.map((one) => kept.load(one)))
    loads = []
  }
  await Promise.all(loads.map((one) => kept.load(one)))
}

function* historiesOf(
  { keyOf, records, firstRecord }: OwnPlace,
  most: number,
  seed: number,
): Generator<History> {
  const random = portableRandom(seed)
  for (let i = 0; i < records; i++) {
    const patient = keyOf(firstRecord + i)
    const count = Math.floor(random.next() * (most + 1))
    const some = Array.from({ length: count }, () =>
      observation(random, patient, startAt - Math.floor(random.next() * yearMs)),
    )
    yield [patient, some]
  }
}

function* inBatches(all: Iterable<History>): Generator<History[]> {
  let some: History[] = []
  let count = 0
  for (const history of all) {
    some.push(history)
    count += history[1].length
    if (count < batch) continue
    yield some
    some = []
    count = 0
  }
  if (some.length > 0) yield some
}
