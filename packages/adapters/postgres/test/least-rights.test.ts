import { keyValue } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

const value = Buffer.from('v')

describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const roles: string[] = []
  afterAll(async () => {
    for (const role of roles) await bench.sql.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  /** A store by a role that has these rights to its table. */
  async function storeWith(rights: readonly string[]) {
    const table = await bench.table()
    const role = `role_${table}`
    await bench.sql.query(`CREATE ROLE ${role} LOGIN PASSWORD 'pw'`)
    roles.push(role)
    if (rights.length > 0) await bench.sql.query(`GRANT ${rights.join(', ')} ON ${table} TO ${role}`)
    const own = new URL(url)
    own.username = role
    own.password = 'pw'
    await keyValue(bench.store({ url, table })).set('a', value)
    return keyValue(bench.store({ url: own, table }))
  }

  type Kv = Awaited<ReturnType<typeof storeWith>>
  const operations: Readonly<Record<string, readonly [needs: string, run: (kv: Kv) => Promise<unknown>]>> = {
    get: ['SELECT', (kv) => kv.get('a')],
    has: ['SELECT', (kv) => kv.has('a')],
    count: ['SELECT', (kv) => kv.count()],
    set: ['SELECT INSERT UPDATE', (kv) => kv.set('a', value)],
    touch: ['SELECT UPDATE', (kv) => kv.touch('a', { ttlMs: 60_000 })],
    delete: ['SELECT DELETE', (kv) => kv.delete('a')],
    clear: ['SELECT DELETE', (kv) => kv.clear({ all: true })],
  }
  const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE']

  test('the least rights are enough', async () => {
    for (const [name, [, run]] of Object.entries(operations))
      await expect(run(await storeWith(all)), name).resolves.not.toThrow()
  })

  test.each(all)('without %s what needs it is ACCESS_DENIED', async (missing) => {
    const kv = await storeWith(all.filter((right) => right !== missing))
    for (const [name, [needs, run]] of Object.entries(operations))
      if (needs.includes(missing))
        await expect(run(kv), name).rejects.toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
  })
})
