import type { Observation } from '../observation.ts'
import type { NativeHistories, NativeTable } from './native-table.ts'

/** The methods of the driver in use. */
interface Native {
  client(): Promise<{ db(name: string): { collection(name: string, options: object): Collection } }>
}

interface Collection {
  createIndex(fields: object): Promise<unknown>
  insertOne(document: object): Promise<unknown>
  insertMany(documents: readonly object[], options: object): Promise<unknown>
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

/** A document for each observation, and a compound index of patient and time. */
export function mongodb(native: unknown, { name, database }: NativeTable): NativeHistories {
  const records = async (): Promise<Collection> =>
    (await (native as Native).client()).db(database).collection(name, concerns)
  const document = (patient: string, observation: Observation): object => ({
    patient,
    at: new Date(observation.effectiveDateTime),
    observation,
  })
  return {
    prepare: async () => (await records()).createIndex({ patient: 1, at: -1 }),
    async load(histories) {
      const documents = histories.flatMap(([patient, some]) => some.map((one) => document(patient, one)))
      if (documents.length > 0) await (await records()).insertMany(documents, { ordered: false })
    },
    async add(patient, one) {
      await (await records()).insertOne(document(patient, one))
    },
    async recent(patient, count) {
      const found = (await records()).find({ patient }).sort({ at: -1 }).limit(count)
      return (await found.toArray()).map(({ observation }) => observation)
    },
    remove: async () => (await records()).drop(),
  }
}
