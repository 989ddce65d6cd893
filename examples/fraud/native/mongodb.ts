import { mongodb } from '@unikv/mongodb'
import type { Database, Sums, Window } from '../database.ts'

interface Found {
  readonly count: number
  readonly cents: number
  readonly seen?: readonly unknown[]
}

/** Payments in a collection of MongoDB. */
export function inMongodb(url: string, collection: string): Database {
  const store = mongodb({ url, collection, values: 'document', prepare: true, maxConnections: 32 })
  const { native } = store

  return {
    store,
    async sums({ by, value, fromAt, toAt, others }: Window): Promise<Sums> {
      const seen = others === undefined ? {} : { seen: { $addToSet: `$value.${others}` } }
      const found = (await native.collection()).aggregate<Found>([
        { $match: { [`value.${by}`]: value, 'value.at': { $gt: fromAt, $lte: toAt } } },
        { $group: { _id: null, count: { $sum: 1 }, cents: { $sum: '$value.cents' }, ...seen } },
      ])
      const [sums] = await found.toArray()
      return { count: sums?.count ?? 0, cents: sums?.cents ?? 0, others: sums?.seen?.length ?? 0 }
    },
    async addAttribute() {
      // Queries see into the documents.
    },
    async addIndex(attribute) {
      await (await native.collection()).createIndex({ [`value.${attribute}`]: 1 })
    },
    async explain(attribute) {
      const found = (await native.collection()).find({ [`value.${attribute}`]: 'one' })
      return JSON.stringify((await found.explain('queryPlanner'))['queryPlanner'])
    },
    async drop() {
      await (await native.collection()).drop()
    },
  }
}
