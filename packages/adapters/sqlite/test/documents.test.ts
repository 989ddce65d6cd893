import { inspect } from 'node:util'
import { type Json, keyValue, type Store } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import { newPath, opened, write } from './fresh.ts'

describe('documents', () => {
  test('are JSON text for queries of one’s own', async () => {
    const store = opened({ path: await newPath(), values: 'document' })
    const kv = keyValue(store)
    await kv.set('ada', { name: 'Ada', born: 1815 })
    await kv.set('grace', { name: 'Grace', born: 1906 })
    await kv.increment('count', 2)
    const select = kv.native
      .prepare(`SELECT CAST(k AS TEXT) FROM unikv WHERE json_extract(value, '$.born') < ?`)
      .raw()
    expect(select.all([1900])).toEqual([['ada']])
    expect(await kv.get('count')).toBe(2)
    kv.native.prepare("UPDATE unikv SET value = 'no json' WHERE k = ?").run([Buffer.from('ada')])
    await expect(kv.get('ada')).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('that JSON would change are refused, with the whole call', async () => {
    const store: Store<Json> = opened({ path: await newPath(), values: 'document', threads: 0 })
    const results = await write<Json>(store, [
      { type: 'set', key: 'a', value: { ok: true } },
      { type: 'set', key: 'b', value: { planted: Number.NaN } },
    ])
    expect(results).toMatchObject([{ code: 'INVALID_VALUE' }, { code: 'INVALID_VALUE' }])
    expect(inspect(results, { depth: 9, showHidden: true })).not.toContain('planted')
    expect(await store.read([{ key: 'a' }], callOptions())).toEqual([undefined])
  })
})
