import { Redis } from 'ioredis'
import { type Data, sessionMs, User } from '../data.ts'

const change = `
  local user = redis.call('GET', KEYS[1])
  if not user then return 0 end
  local changed = cjson.decode(user)
  changed.mail = ARGV[1]
  redis.call('SET', KEYS[1], cjson.encode(changed))
  return 1`

export function dataOf(url: string, prefix: string): Data {
  const redis = new Redis(url, { keyPrefix: `${prefix}:` })
  return {
    async addUser(name, user) {
      return (await redis.set(`users:${name}`, JSON.stringify(user), 'NX')) === 'OK'
    },
    async user(name) {
      const text = await redis.get(`users:${name}`)
      return text === null ? undefined : User.parse(JSON.parse(text))
    },
    async changeMail(name, mail) {
      return (await redis.eval(change, 1, `users:${name}`, mail)) === 1
    },
    async startSession(id, name) {
      await redis.set(`sessions:${id}`, name, 'PX', sessionMs)
    },
    async session(id) {
      return (await redis.get(`sessions:${id}`)) ?? undefined
    },
    async endSession(id) {
      await redis.del(`sessions:${id}`)
    },
    countVisit: (page) => redis.hincrby('visits', page, 1),
    async visits() {
      const counts = Object.entries(await redis.hgetall('visits'))
      return Object.fromEntries(counts.map(([page, count]) => [page, Number(count)]))
    },
    async close() {
      await redis.quit()
    },
  }
}
