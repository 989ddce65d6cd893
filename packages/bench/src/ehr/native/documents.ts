import type { Histories } from '../fill.ts'
import { newest } from '../histories.ts'
import type { Observation } from '../observation.ts'
import type { Patient } from '../patient.ts'

/** Histories in tables of the store's own, which a program without unikv would have. */
export interface NativeHistories extends Histories {
  /** Make the table. */
  prepare(): Promise<unknown>
  /** Remove the table. */
  remove(): Promise<unknown>
}

/** Where a table is. */
export interface NativeTable {
  /** Letters, digits and `_`. */
  readonly name: string
  /** The keyspace of Cassandra, or the database of MongoDB. */
  readonly database: string
  /** Observations of a patient that a list keeps. */
  readonly most: number
}

/** The methods of the driver in use. */
interface Native {
  client(): Promise<{ db(name: string): { collection(name: string, options: object): Collection } }>
}

interface Collection {
  createIndex(fields: object): Promise<unknown>
  insertOne(document: object): Promise<unknown>
  insertMany(documents: readonly object[], options: object): Promise<unknown>
  findOne(filter: object): Promise<{ readonly resource: Patient } | null>
  find(filter: object): {
    sort(by: object): { limit(count: number): { toArray(): Promise<readonly Document[]> } }
  }
  drop(): Promise<unknown>
}

interface Document {
  readonly observation: Observation
}

/** The concerns that unikv has unless it is told otherwise, so that both wait for the same. */
export const concerns: object = {
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
}

/** A document for each patient and each observation, and a compound index of patient and time. */
export function mongodb(native: unknown, { name, database }: NativeTable): NativeHistories {
  const collection = async (of: string): Promise<Collection> =>
    (await (native as Native).client()).db(database).collection(of, concerns)
  const records = (): Promise<Collection> => collection(name)
  const patients = (): Promise<Collection> => collection(`${name}_patients`)
  const document = (patient: string, observation: Observation): object => ({
    patient,
    at: new Date(observation.effectiveDateTime),
    observation,
  })
  const recent: Histories['recent'] = async (patient, count) => {
    const found = (await records()).find({ patient }).sort({ at: -1 }).limit(count)
    return (await found.toArray()).map(({ observation }) => observation)
  }
  return {
    prepare: async () => (await records()).createIndex({ patient: 1, at: -1 }),
    async load(histories) {
      const people = histories.map(({ patient }) => ({ _id: patient.id, resource: patient }))
      await (await patients()).insertMany(people, { ordered: false })
      const documents = histories.flatMap(({ patient, observations }) =>
        observations.map((one) => document(patient.id, one)),
      )
      if (documents.length > 0) await (await records()).insertMany(documents, { ordered: false })
    },
    async add(patient, one) {
      await (await records()).insertOne(document(patient, one))
    },
    recent,
    async chart(patient, count) {
      const [found, observations] = await Promise.all([
        (await patients()).findOne({ _id: patient }),
        recent(patient, count),
      ])
      return found === null ? undefined : { patient: found.resource, observations }
    },
    remove: async () => Promise.all([(await records()).drop(), (await patients()).drop()]),
  }
}

/** The methods of ioredis in use. */
interface Client {
  set(key: string, value: string): Promise<unknown>
  get(key: string): Promise<string | null>
  lpush(key: string, ...values: readonly string[]): Promise<unknown>
  ltrim(key: string, first: number, last: number): Promise<unknown>
  lrange(key: string, first: number, last: number): Promise<readonly string[]>
  sadd(key: string, ...members: readonly string[]): Promise<unknown>
  spop(key: string, count: number): Promise<readonly string[]>
  unlink(...keys: readonly string[]): Promise<unknown>
}

/** A string for each patient, and a list of the observations, the newest first; those of late are kept. */
export function redis(native: unknown, { name, most }: NativeTable): NativeHistories {
  const client = native as Client
  const keyOf = (patient: string): string => `${name}:patient:${patient}`
  const listOf = (patient: string): string => `${name}:${patient}`
  const all = `${name}:all`
  const push = async (patient: string, some: readonly Observation[]): Promise<void> => {
    const texts = some.map((one) => JSON.stringify(one)).reverse()
    await Promise.all([
      client.lpush(listOf(patient), ...texts),
      client.ltrim(listOf(patient), 0, most - 1),
      client.sadd(all, listOf(patient)),
    ])
  }
  const recent: Histories['recent'] = async (patient, count) => {
    const found = await client.lrange(listOf(patient), 0, count - 1)
    return found.map((text) => JSON.parse(text) as Observation)
  }
  return {
    prepare: () => Promise.resolve(),
    async load(histories) {
      await Promise.all(
        histories.flatMap(({ patient, observations: some }) => [
          client.set(keyOf(patient.id), JSON.stringify(patient)),
          client.sadd(all, keyOf(patient.id)),
          ...(some.length === 0 ? [] : [push(patient.id, newest(some, most))]),
        ]),
      )
    },
    add: (patient, one) => push(patient, [one]),
    recent,
    async chart(patient, count) {
      const [found, observations] = await Promise.all([client.get(keyOf(patient)), recent(patient, count)])
      return found === null ? undefined : { patient: JSON.parse(found) as Patient, observations }
    },
    async remove() {
      for (;;) {
        const keys = await client.spop(all, 500)
        if (keys.length === 0) return
        await client.unlink(...keys)
      }
    },
  }
}
