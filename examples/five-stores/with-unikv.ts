// The data of the web back end in whichever store the configuration names.
import type { Bytes } from '@unikv/core'
import { loadConfig, openStores } from '@unikv/manager'
import { z } from 'zod'
import { type Data, sessionMs, User } from './data.ts'

const uses = {
  users: { schema: User, needs: ['conditionalWrite'] },
  sessions: { schema: z.string(), needs: ['ttl'] },
  visits: { needs: ['increment', 'scan'] },
} as const

/** @param configuration the path of a `unikv.config.yaml` */
export async function dataOf(configuration: string): Promise<Data> {
  const { stores, close } = await openStores(await loadConfig(configuration), { uses })
  const { users, sessions, visits } = stores
  return {
    async addUser(name, user) {
      const added = await users.update(name, (existing) => (existing === undefined ? user : undefined))
      return added === user
    },
    user: (name) => users.get(name),
    async changeMail(name, mail) {
      return (await users.update(name, (user) => user && { ...user, mail })) !== undefined
    },
    async startSession(id, name) {
      await sessions.set(id, name, { ttlMs: sessionMs })
    },
    session: (id) => sessions.get(id),
    async endSession(id) {
      await sessions.delete(id)
    },
    countVisit: (page) => visits.increment(page),
    async visits() {
      const counts: Record<string, number> = {}
      for await (const [page, { value }] of visits.entries())
        counts[page] = Number(new TextDecoder().decode(value as Bytes))
      return counts
    },
    close,
  }
}
