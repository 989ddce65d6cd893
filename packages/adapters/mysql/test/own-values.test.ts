import { keyValue, type ScanRange } from '@unikv/core'
import { apart } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { drivers, mysqlBench } from './mysql-bench.ts'

const keys = Array.from({ length: 12 }, (_, i) => `key ${i}`)

describeWith('mariadb', (url) => {
  const bench = mysqlBench(url)
  const call = () => ({ deadlineAt: performance.now() + 5_000 })

  describe.each(drivers)('by %s', (driver) => {
    test('the first write stores what its value was at the call, though it waits for opening', async () => {
      const table = await bench.table()
      const kv = keyValue(bench.store({ url, driver, table }), [], apart)
      const bytes = Buffer.from('before')
      const done = kv.set('key', bytes)
      bytes.fill('!')
      await done
      expect(await kv.get('key')).toEqual(Buffer.from('before'))
    })

    test('so it does with documents', async () => {
      const table = await bench.table({ values: 'document' })
      const kv = keyValue(bench.store({ url, driver, table, values: 'document' }))
      const document = { list: ['before'] }
      const done = kv.set('key', document)
      document.list[0] = 'after'
      await done
      expect(await kv.get('key')).toEqual({ list: ['before'] })
    })

    test('conditional sets that wait for a lane do, too', async () => {
      const table = await bench.table()
      const kv = keyValue(bench.store({ url, driver, table }))
      await kv.get('opens')
      const values = keys.map((key) => Buffer.from(`before ${key}`))
      const done = keys.map((key, i) => kv.set(key, values[i] as Buffer, { ifVersion: null }))
      for (const bytes of values) bytes.fill('!')
      await Promise.all(done)
      expect(await kv.getMany(keys)).toEqual(keys.map((key) => Buffer.from(`before ${key}`)))
    })

    test('a cursor that was altered leads to no key out of the range', async () => {
      const store = bench.store({ url, driver, table: await bench.table() })
      const kv = keyValue(store)
      await kv.setMany(['u0/k', 'u1/a', 'u1/b', 'u1/c', 'u2/a'].map((key) => [key, Buffer.from('value')]))
      const listed = async (resume: string, more: Partial<ScanRange> = {}): Promise<string[]> => {
        const found: string[] = []
        const range = {
          prefix: 'u1/',
          pageSize: 10,
          values: false,
          resume: Buffer.from(resume).toString('base64url'),
          ...more,
        }
        for await (const { entries } of store.scan(range, call()))
          found.push(...entries.map(({ key }) => key))
        return found
      }
      expect(await listed('\u0001')).toEqual(['u1/a', 'u1/b', 'u1/c'])
      expect(await listed('u0/', { gte: 'u1/b' })).toEqual(['u1/b', 'u1/c'])
      expect(await listed('u1/b')).toEqual(['u1/c'])
      expect(await listed('u2/b', { reverse: true })).toEqual(['u1/c', 'u1/b', 'u1/a'])
      expect(await listed('u2/b', { reverse: true, lt: 'u1/c' })).toEqual(['u1/b', 'u1/a'])
      expect(await listed('u1/b', { reverse: true })).toEqual(['u1/a'])
    })
  })
})
