import type { GroupTransaction } from '@unikv/core'
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

  test('transactions that wait for others end with the store', async () => {
    const table = await bench.table()
    const store = bench.store({ url, table, prepare: true, maxConnections: 2 })
    const call = () => ({ deadlineAt: performance.now() + 60_000 })
    const begun = async () => (await store.groups?.begin('g', call())) as GroupTransaction
    const holder = await begun()
    await holder.get(['k'])
    const waiting = codeOf((async () => (await begun()).get(['k']))())
    await new Promise(setImmediate)
    await store.close()
    expect(await waiting).toBe('CLOSED')
    await bench.sql.query(`DROP TABLE ${table}_groups`)
  })
})
