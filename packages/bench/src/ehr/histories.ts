import { type Bytes, type KeyValue, supports } from '@unikv/core'
import type { Histories, Observation } from './observation.ts'

/** A record for each observation where the store lists keys in order, and else one list for each patient. */
export function histories(kv: KeyValue<string, Bytes>): Histories {
  return supports(kv, 'orderedScan') ? inOrder(kv) : lists(kv)
}

/** The newest observation has the first key: a listing of a few keys finds it. */
function inOrder(kv: KeyValue<string, Bytes>): Histories {
  const entry = (patient: string, one: Observation): readonly [string, Bytes] => [
    `${patient}/${age(one)}`,
    bytesOf(one),
  ]
  return {
    load: async (some) => {
      await kv.setMany(some.flatMap(([patient, all]) => all.map((one) => entry(patient, one))))
    },
    add: async (patient, one) => {
      await kv.set(...entry(patient, one))
    },
    recent: async (patient, count) => {
      const found: Observation[] = []
      if (!supports(kv, 'scan')) return found
      for await (const [, { value }] of kv.entries({ prefix: `${patient}/`, limit: count }))
        found.push(dataIn(value))
      return found
    },
  }
}

/** One record for each patient, which every new observation writes anew. */
function lists(kv: KeyValue<string, Bytes>): Histories {
  return {
    load: async (some) => {
      const filled = some.filter(([, observations]) => observations.length > 0)
      await kv.setMany(filled.map(([patient, all]) => [listOf(patient), bytesOf(newest(all))] as const))
    },
    add: async (patient, one) => {
      const added = (value: Bytes | undefined): Bytes => bytesOf(newest([one, ...listIn(value)]))
      if (supports(kv, 'conditionalWrite')) await kv.update(listOf(patient), added)
      else await kv.set(listOf(patient), added(await kv.get(listOf(patient))))
    },
    recent: async (patient, count) => listIn(await kv.get(listOf(patient))).slice(0, count),
  }
}

function listOf(patient: string): string {
  return `${patient}/observations`
}

/** The time that is left until the year 2286, so that newer observations come first, and the id. */
export function age({ effectiveDateTime, id }: Observation): string {
  return `${String(9_999_999_999_999 - Date.parse(effectiveDateTime)).padStart(13, '0')}-${id}`
}

function bytesOf(data: object): Bytes {
  return Buffer.from(JSON.stringify(data))
}

function dataIn<T = Observation>(value: Bytes): T {
  return JSON.parse(new TextDecoder().decode(value)) as T
}

function listIn(value: Bytes | undefined): readonly Observation[] {
  return value === undefined ? [] : dataIn(value)
}

/** Observations of a patient that a list keeps: a little more than a reader asks for. */
export const listLength = 20

/** Those that a list keeps, the newest first. */
export function newest(observations: readonly Observation[]): readonly Observation[] {
  return observations
    .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
    .slice(0, listLength)
}
