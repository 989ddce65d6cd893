import { type Bytes, type KeyValue, supports } from '@unikv/core'
import type { Histories } from './fill.ts'
import type { Observation } from './observation.ts'
import type { Patient } from './patient.ts'

/**
 * Patients are the records of the workload. Observations have a record each where the store lists keys in order, and else one list for each
 * patient. An observation that is added again changes nothing.
 *
 * @param most observations that a list keeps
 */
export function histories(kv: KeyValue<string, Bytes>, most: number): Histories {
  return supports(kv, 'orderedScan') ? inOrder(kv) : lists(kv, most)
}

/** The newest observation has the first key after that of its patient: a listing of a few keys finds it. */
function inOrder(kv: KeyValue<string, Bytes>): Histories {
  const entry = (patient: string, one: Observation): readonly [string, Bytes] => [
    `${patient}/${age(one)}`,
    bytesOf(one),
  ]
  const listed = async <T>(
    range: { readonly gte: string; readonly lt: string },
    limit: number,
  ): Promise<T[]> => {
    const found: T[] = []
    if (!supports(kv, 'orderedScan')) return found
    for await (const [, { value }] of kv.entries({ ...range, limit })) found.push(dataIn(value))
    return found
  }
  return {
    load: async (some) => {
      await kv.setMany([
        ...some.map(({ patient }) => [patient.id, bytesOf(patient)] as const),
        ...some.flatMap(({ patient, observations }) => observations.map((one) => entry(patient.id, one))),
      ])
    },
    add: async (patient, one) => {
      await kv.set(...entry(patient, one))
    },
    recent: (patient, count) => listed({ gte: `${patient}/`, lt: `${patient}0` }, count),
    chart: async (patient, count) => {
      const [first, ...observations] = await listed<Patient | Observation>(
        { gte: patient, lt: `${patient}0` },
        count + 1,
      )
      return first?.resourceType === 'Patient'
        ? { patient: first, observations: observations as Observation[] }
        : undefined
    },
  }
}

/** One record for the observations of each patient, which every new one writes anew. */
function lists(kv: KeyValue<string, Bytes>, most: number): Histories {
  return {
    load: async (some) => {
      const filled = some.filter(({ observations }) => observations.length > 0)
      await kv.setMany([
        ...some.map(({ patient }) => [patient.id, bytesOf(patient)] as const),
        ...filled.map(
          ({ patient, observations }) => [listOf(patient.id), bytesOf(newest(observations, most))] as const,
        ),
      ])
    },
    add: async (patient, one) => {
      const added = (value: Bytes | undefined): Bytes => bytesOf(withOne(listIn(value), one, most))
      if (supports(kv, 'conditionalWrite')) await kv.update(listOf(patient), added)
      else await kv.set(listOf(patient), added(await kv.get(listOf(patient))))
    },
    recent: async (patient, count) => listIn(await kv.get(listOf(patient))).slice(0, count),
    chart: async (id, count) => {
      const [patient, list] = await kv.getMany([id, listOf(id)])
      return patient && { patient: dataIn(patient), observations: listIn(list).slice(0, count) }
    },
  }
}

function listOf(patient: string): string {
  return `${patient}/observations`
}

/** The time that is left until the year 2286, so that newer observations come first, and the id. */
export function age({ effectiveDateTime, id }: Observation): string {
  return `${String(9_999_999_999_999 - Date.parse(effectiveDateTime)).padStart(13, '0')}-${id}`
}

export function bytesOf(data: object): Bytes {
  return Buffer.from(JSON.stringify(data))
}

export function dataIn<T>(value: Bytes): T {
  return JSON.parse(new TextDecoder().decode(value)) as T
}

function listIn(value: Bytes | undefined): readonly Observation[] {
  return value === undefined ? [] : dataIn(value)
}

/** A list with one more observation, unless it is there already. */
export function withOne(
  list: readonly Observation[],
  one: Observation,
  most: number,
): readonly Observation[] {
  return list.some(({ id }) => id === one.id) ? list : newest([one, ...list], most)
}

/** The most recent ones, the newest first. */
export function newest(observations: readonly Observation[], most: number): readonly Observation[] {
  return observations
    .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
    .slice(0, most)
}
