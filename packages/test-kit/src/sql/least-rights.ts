import { keyValue } from '@unikv/core'
import { afterAll, expect, test } from 'vitest'
import type { SqlBench, SqlKeyValue } from './bench.ts'

/** How a database makes its users. */
export interface SqlUsers {
  /** A name for the user of a table. */
  readonly nameOf: (table: string) => string
  /** Makes a user who may do nothing, with the password `pw`. */
  readonly make: (user: string) => string
  /** Gives a user these rights to one table. */
  readonly grant: (user: string, table: string, rights: string) => string
  /** Removes a user, with all that is granted to it. */
  readonly drop: (user: string) => string
}

const value = Buffer.from('v')
const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

/** Rights that each operation needs. */
const operations: Readonly<
  Record<string, readonly [needs: string, run: (kv: SqlKeyValue) => Promise<unknown>]>
> = {
  get: ['SELECT', (kv) => kv.get('a')],
  has: ['SELECT', (kv) => kv.has('a')],
  count: ['SELECT', (kv) => kv.count()],
  set: ['SELECT INSERT UPDATE', (kv) => kv.set('a', value)],
  touch: ['SELECT UPDATE', (kv) => kv.touch('a', { ttlMs: 60_000 })],
  delete: ['SELECT DELETE', (kv) => kv.delete('a')],
  clear: ['SELECT DELETE', (kv) => kv.clear({ all: true })],
}

/** Declares tests of a user with the least rights that a store needs, and of one who lacks one of them. */
export function testLeastRights(bench: SqlBench, users: SqlUsers): void {
  const made: string[] = []
  afterAll(async () => {
    for (const user of made) await bench.sql.query(users.drop(user))
  })

  /** A store by a user that has these rights to its table. */
  async function storeWith(granted: readonly string[]): Promise<SqlKeyValue> {
    const table = await bench.table()
    const user = users.nameOf(table)
    await bench.sql.query(users.make(user))
    made.push(user)
    if (granted.length > 0) await bench.sql.query(users.grant(user, table, granted.join(', ')))
    const own = new URL(bench.url)
    own.username = user
    own.password = 'pw'
    await keyValue(bench.store({ url: bench.url, table })).set('a', value)
    return keyValue(bench.store({ url: own, table }))
  }

  test('the least rights are enough', async () => {
    for (const [name, [, run]] of Object.entries(operations))
      await expect(run(await storeWith(rights)), name).resolves.not.toThrow()
  })

  test.each(rights)('without %s what needs it is ACCESS_DENIED', async (missing) => {
    const kv = await storeWith(rights.filter((right) => right !== missing))
    for (const [name, [needs, run]] of Object.entries(operations))
      if (needs.includes(missing))
        await expect(run(kv), name).rejects.toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
  })
}
