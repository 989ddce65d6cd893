import { MongoClient, MongoServerError } from 'mongodb'
import { type Data, sessionMs, type User } from '../data.ts'

export async function dataOf(url: string, database: string): Promise<Data> {
  const client = new MongoClient(url)
  const db = client.db(database)
  const users = db.collection<User & { _id: string }>('users')
  const sessions = db.collection<{ _id: string; name: string; until: Date }>('sessions')
  const visits = db.collection<{ _id: string; count: number }>('visits')
  await sessions.createIndex({ until: 1 }, { expireAfterSeconds: 0 })
  return {
    async addUser(name, user) {
      try {
        await users.insertOne({ _id: name, ...user })
        return true
      } catch (error) {
        if (error instanceof MongoServerError && error.code === 11000) return false
        throw error
      }
    },
    async user(name) {
      return (await users.findOne({ _id: name }, { projection: { _id: 0 } })) ?? undefined
    },
    async changeMail(name, mail) {
      return (await users.updateOne({ _id: name }, { $set: { mail } })).matchedCount === 1
    },
    async startSession(id, name) {
      await sessions.insertOne({ _id: id, name, until: new Date(Date.now() + sessionMs) })
    },
    async session(id) {
      const session = await sessions.findOne({ _id: id, until: { $gt: new Date() } })
      return session?.name
    },
    async endSession(id) {
      await sessions.deleteOne({ _id: id })
    },
    async countVisit(page) {
      const options = { upsert: true, returnDocument: 'after' } as const
      const counted = await visits.findOneAndUpdate({ _id: page }, { $inc: { count: 1 } }, options)
      return counted?.count ?? 0
    },
    async visits() {
      const counts = await visits.find().toArray()
      return Object.fromEntries(counts.map(({ _id, count }) => [_id, count]))
    },
    close: () => client.close(),
  }
}
