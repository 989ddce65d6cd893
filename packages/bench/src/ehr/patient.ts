import type { Random } from '../random/random.ts'
import { anyOf, below } from './observation.ts'

/** A patient as HL7 FHIR R4 has one, with one to three addresses and telephone numbers, in 900 to 2,000 bytes of JSON. */
export interface Patient {
  readonly resourceType: 'Patient'
  readonly id: string
  readonly address: readonly Address[]
  readonly telecom: readonly object[]
  readonly [field: string]: unknown
}

interface Address {
  readonly use: 'home' | 'temp' | 'work' | 'old'
  readonly period: { readonly start: string; readonly end?: string }
  readonly [field: string]: unknown
}

const families = ['Alder', 'Brook', 'Castell', 'Dvorak', 'Eriksen', 'Farrow', 'Guerin', 'Hollis', 'Ibarra']
const givens = ['Ada', 'Bruno', 'Clara', 'Dario', 'Elif', 'Felix', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Kaya']
const streets = ['Harbor Street', 'Mill Lane', 'Station Road', 'Chapel Hill', 'Orchard Way', 'Quarry Court']
const cities = [
  ['Ashford', 'VT', '05'],
  ['Bellmont', 'OH', '43'],
  ['Carrow', 'TX', '75'],
  ['Dunmere', 'WA', '98'],
] as const
/** The home first: every patient has one. */
const addressUses = ['home', 'work', 'temp'] as const
const phoneUses = ['mobile', 'home', 'work'] as const
const english = { coding: [{ system: 'urn:ietf:bcp:47', code: 'en' }] }
const kin = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0131', code: 'N' }] }
const recordNumber = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] }

/**
 * A patient with made-up demographics.
 *
 * @param id the key of the patient, to which observations refer
 */
export function patient(random: Random, id: string): Patient {
  const family = anyOf(random, families)
  const phones = phoneUses.slice(0, 1 + below(random, 3))
  const email = { system: 'email', value: `${family.toLowerCase()}${below(random, 1e6)}@example.org` }
  return {
    resourceType: 'Patient',
    id,
    identifier: [
      {
        use: 'usual',
        type: recordNumber,
        system: 'urn:oid:2.16.840.1.113883.19.5',
        value: digits(random, 8),
      },
    ],
    active: true,
    name: [{ use: 'official', family, given: [anyOf(random, givens), anyOf(random, givens)] }],
    telecom: [
      ...phones.map((use, index) => ({ system: 'phone', value: phone(random), use, rank: index + 1 })),
      ...(random.next() < 0.5 ? [email] : []),
    ],
    gender: anyOf(random, ['female', 'male', 'other', 'unknown']),
    birthDate: day(Date.UTC(1925, 0, 1) + below(random, 36_500) * dayMs),
    address: addressUses
      .slice(0, 1 + below(random, 3))
      .map((use) => address(random, use, Date.UTC(2005, 0, 1) + below(random, 7_000) * dayMs)),
    contact: [
      {
        relationship: [kin],
        name: { family, given: [anyOf(random, givens)] },
        telecom: [{ system: 'phone', value: phone(random) }],
      },
    ],
    communication: [{ language: english, preferred: true }],
    managingOrganization: { reference: `Organization/${below(random, 100)}` },
  }
}

/**
 * The patient at a new home; the former one stays as an old address.
 *
 * @param at milliseconds since the epoch
 */
export function moved(random: Random, before: Patient, at: number): Patient {
  const former = before.address.map((one) =>
    one.use === 'home' ? { ...one, use: 'old' as const, period: { ...one.period, end: day(at) } } : one,
  )
  return { ...before, address: [address(random, 'home', at), ...former] }
}

function address(random: Random, use: Address['use'], startAt: number): Address {
  const [city, state, code] = anyOf(random, cities)
  return {
    use,
    type: 'both',
    line: [`${1 + below(random, 400)} ${anyOf(random, streets)}`],
    city,
    state,
    postalCode: `${code}${digits(random, 3)}`,
    country: 'US',
    period: { start: day(startAt) },
  }
}

/** Numbers of this form are kept for fiction. */
function phone(random: Random): string {
  return `+1-${200 + below(random, 700)}-555-01${digits(random, 2)}`
}

function digits(random: Random, count: number): string {
  return String(below(random, 10 ** count)).padStart(count, '0')
}

const dayMs = 86_400_000

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
