import { join } from 'node:path'
import { open } from 'lmdb'
import { type Data, sessionMs, type User } from '../data.ts'

export function dataOf(folder: string): Data {
  const root = open({ path: join(folder, 'native'), maxDbs: 3 })
  const users = root.openDB<User, string>({ name: 'users' })
  const sessions = root.openDB<{ name: string; until: number }, string>({ name: 'sessions' })
  const visits = root.openDB<number, string>({ name: 'visits' })
  return {
    addUser: (name, user) => users.ifNoExists(name, () => void users.put(name, user)),
    user: async (name) => users.get(name),
    changeMail: (name, mail) =>
      users.transaction(() => {
        const user = users.get(name)
        if (user !== undefined) void users.put(name, { ...user, mail })
        return user !== undefined
      }),
    async startSession(id, name) {
      for (const { key, value } of sessions.getRange())
        if (value.until <= Date.now()) await sessions.remove(key)
      await sessions.put(id, { name, until: Date.now() + sessionMs })
    },
    async session(id) {
      const session = sessions.get(id)
      return session !== undefined && session.until > Date.now() ? session.name : undefined
    },
    async endSession(id) {
      await sessions.remove(id)
    },
    countVisit: (page) =>
      visits.transaction(() => {
        const count = (visits.get(page) ?? 0) + 1
        void visits.put(page, count)
        return count
      }),
    async visits() {
      return Object.fromEntries(visits.getRange().map(({ key, value }) => [key, value]))
    },
    close: () => root.close(),
  }
}
