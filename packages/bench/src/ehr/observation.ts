import type { Random } from '../random/random.ts'

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

/**
 * An observation with made-up values.
 *
 * @param patient the key of the patient
 * @param at milliseconds since the epoch
 */
export function observation(random: Random, patient: string, at: number): Observation {
  const [code, display, unit, low, high] = anyOf(random, kinds)
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
    ...(random.next() < 0.4 ? { note: [{ text: anyOf(random, notes) }] } : {}),
  }
}

/** A whole number from 0 up to `end`. */
export function below(random: Random, end: number): number {
  return Math.floor(random.next() * end)
}

export function anyOf<T>(random: Random, some: readonly T[]): T {
  return some[below(random, some.length)] as T
}

function hex(random: Random): string {
  return random.uint32().toString(16).padStart(8, '0')
}
