import { codeOf, mutate } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { postgresBench } from './postgres-bench.ts'

describeWith('postgres', (url) => {
  const bench = postgresBench(url)

  test('thousands whose time is over while they wait for a connection give it back one after the other', async () => {
    const table = await bench.table()
    const store = bench.store({ url, table, maxConnections: 1 })
    const set = (key: string, timeoutMs?: number) =>
      codeOf(mutate(store, { type: 'set', key, value: Buffer.from('value') }, timeoutMs))
    await set('before')
    const holder = await bench.sql.connect()
    await holder.query(`BEGIN; LOCK TABLE ${table} IN SHARE MODE`)
    const first = set('first')
    const waiting = Array.from({ length: 5_000 }, (_, i) => set(`${i}`, 50))
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['TIMEOUT']))
    await holder.query('COMMIT')
    holder.release()
    // The pool hands the connection from one to the next in the moment in which it is given back.
    expect(await first).toBeUndefined()
    expect(await set('after')).toBeUndefined()
  })
})
