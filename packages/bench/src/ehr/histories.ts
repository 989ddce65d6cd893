import { type Bytes, type KeyValue, supports } from '@unikv/core'
import type { Histories, History, Observation } from './observation.ts'

/** A record for each observation where the store lists keys in order, and else one list for each patient. */
export function histories(kv: KeyValue<string, Bytes>): Histories {
  return supports(kv, 'orderedScan') ? new InOrder(kv) : new Lists(kv)
}

/** The newest observation has the first key: a listing of a few keys finds it. */
class InOrder implements Histories {
  readonly #kv: KeyValue<string, Bytes>

  constructor(kv: KeyValue<string, Bytes>) {
    this.#kv = kv
  }

  async load(some: readonly History[]): Promise<void> {
    const entries = some.flatMap(([patient, observations]) =>
      observations.map((one) => [`${patient}/${age(one)}`, bytesOf(one)] as const),
    )
    await this.#kv.setMany(entries)
  }

  async add(patient: string, one: Observation): Promise<void> {
    await this.#kv.set(`${patient}/${age(one)}`, bytesOf(one))
  }

  async recent(patient: string, count: number): Promise<readonly Observation[]> {
    const found: Observation[] = []
    if (!supports(this.#kv, 'scan')) return found
    for await (const [, { value }] of this.#kv.entries({ prefix: `${patient}/`, limit: count }))
      found.push(dataIn(value))
    return found
  }
}

/** One record for each patient, which every new observation writes anew. */
class Lists implements Histories {
  readonly #kv: KeyValue<string, Bytes>

  constructor(kv: KeyValue<string, Bytes>) {
    this.#kv = kv
  }

  async load(some: readonly History[]): Promise<void> {
    const entries = some
      .filter(([, observations]) => observations.length > 0)
      .map(([patient, observations]) => [listOf(patient), bytesOf(newest(observations))] as const)
    await this.#kv.setMany(entries)
  }

  async add(patient: string, one: Observation): Promise<void> {
    const added = (value: Bytes | undefined): Bytes =>
      bytesOf(newest([one, ...(value === undefined ? [] : dataIn<readonly Observation[]>(value))]))
    if (supports(this.#kv, 'conditionalWrite')) await this.#kv.update(listOf(patient), added)
    else await this.#kv.set(listOf(patient), added(await this.#kv.get(listOf(patient))))
  }

  async recent(patient: string, count: number): Promise<readonly Observation[]> {
    const value = await this.#kv.get(listOf(patient))
    return value === undefined ? [] : dataIn<readonly Observation[]>(value).slice(0, count)
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

/** Observations of a patient that a list keeps: a little more than a reader asks for. */
export const listLength = 20

/** Those that a list keeps, the newest first. */
export function newest(observations: readonly Observation[]): readonly Observation[] {
  return observations
    .toSorted((a, b) => b.effectiveDateTime.localeCompare(a.effectiveDateTime))
    .slice(0, listLength)
}
