import { randomBytes } from 'node:crypto'
import { afterAll, afterEach } from 'vitest'
import { type CouchdbOptions, type CouchdbStore, couchdb, prepareCouchdb } from '../src/index.ts'

/** A database name that no other test uses. */
export function freshDatabase(): string {
  return `t_${randomBytes(8).toString('hex')}`
}

/** What a group of tests works with on one server: stores over fresh databases, and requests behind their backs. */
export interface Bench {
  /** A database of its own, made now and removed at the end. */
  database(options?: Partial<CouchdbOptions>): Promise<string>
  /** A store that is closed after the test. */
  store<const O extends Partial<CouchdbOptions>>(options: O): CouchdbStore<O & { readonly url: string }>
  /** A request of one's own, to a path below the server. */
  request(method: string, path: string, content?: object): Promise<{ readonly [field: string]: unknown }>
}

/** Call it inside `describe`: it cleans up after each test, and after all. */
export function couchdbBench(url: string): Bench {
  const databases: string[] = []
  const opened: (() => Promise<unknown>)[] = []
  const { origin, username, password } = new URL(url)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const request: Bench['request'] = async (method, path, content) => {
    const body = content === undefined ? null : JSON.stringify(content)
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${origin}/${path}`, { method, headers, body })
    return (await answer.json()) as Record<string, unknown>
  }
  afterEach(async () => {
    for (const close of opened.splice(0).toReversed()) await close()
  })
  afterAll(async () => {
    for (const database of databases) await request('DELETE', database)
  })
  return {
    request,
    async database(options = {}) {
      const database = freshDatabase()
      databases.push(database)
      await prepareCouchdb({ url, ...options, database })
      return database
    },
    store(options) {
      const store = couchdb({ url, ...options })
      opened.push(() => store.close())
      return store
    },
  }
}
