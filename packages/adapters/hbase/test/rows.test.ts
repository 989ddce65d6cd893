import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test, vi } from 'vitest'
import { base64, bytes, fresh, freshDataset, listed, table } from './fresh.ts'

/** A row of an answer, as far as it is looked at. */
interface Named {
  readonly key: string
}

describeWith('hbase', (url) => {
  type Native = ReturnType<typeof fresh>['native']
  /** Put one row behind the store's back. */
  const putRow = async (
    native: Native,
    row: string | Buffer,
    cells: Record<string, string>,
    timestamp?: number,
  ) => {
    const Cell = Object.entries(cells).map(([column, value]) => ({
      column: base64(column),
      $: value,
      ...(timestamp === undefined ? {} : { timestamp }),
    }))
    const body = { Row: [{ key: Buffer.from(row).toString('base64'), Cell }] }
    expect((await native.request('PUT', `/${table}/row`, { body })).status).toBe(200)
  }
  const rowsOf = async (native: Native, dataset: string): Promise<readonly string[]> => {
    const range = `limit=1000&startrow=${dataset}:&endrow=${dataset};`
    const { body } = await native.request('GET', `/${table}/*?${range}`)
    const { Row } = JSON.parse(body.toString()) as { readonly Row: readonly Named[] }
    return Row.map(({ key }) =>
      Buffer.from(key, 'base64')
        .toString()
        .slice(dataset.length + 1),
    )
  }

  describe('rows of others', () => {
    test('are not listed, are CORRUPT to a read, and other datasets stay apart', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      const neighbours = [
        fresh({ url, dataset: `${dataset}x` }),
        fresh({ url, dataset: dataset.slice(0, -1) }),
      ]
      for (const one of [store, ...neighbours]) await keyValue(one).set('mine', bytes('v'))
      await putRow(store.native, `${dataset}:foreign`, { 'u:h': base64('no header'), 'u:b': base64('v') })
      await putRow(store.native, `${dataset}:other`, { 'u:x': base64('v') })
      await putRow(store.native, Buffer.concat([bytes(`${dataset}:`), Buffer.from([0xff, 0x01])]), {
        'u:h': base64('v'),
      })
      expect(await listed(store)).toEqual(['mine'])
      expect(await listed(store, 2)).toEqual(['mine'])
      const [foreign, other] = await store.read([{ key: 'foreign' }, { key: 'other' }], callOptions())
      expect(foreign).toMatchObject({ code: 'CORRUPT' })
      expect(other).toBeUndefined()
      const change = {
        type: 'set',
        key: 'foreign',
        value: bytes('v'),
        version: newVersion(),
        ifVersion: null,
      } as const
      expect(await store.write([change], callOptions())).toMatchObject([{ code: 'CORRUPT' }])
      await keyValue(store).clear({ all: true })
      for (const one of neighbours) expect(await listed(one)).toEqual(['mine'])
    })

    test('that fill a page with keys that are no text end the listing instead of cutting it short', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      for (const n of [1, 2, 3])
        await putRow(store.native, Buffer.concat([bytes(`${dataset}:`), Buffer.from([0xff, n])]), {
          'u:h': 'AA==',
        })
      await expect(listed(store, 2)).rejects.toMatchObject({ code: 'CORRUPT' })
    })
  })

  describe('what deletions and expired records leave', () => {
    const old = Date.now() - 3_600_000

    test('is removed when a read or a listing meets it an hour later', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      const kv = keyValue(store)
      await kv.set('live', bytes('v'))
      await kv.set('deleted', bytes('v'))
      await kv.delete('deleted')
      await putRow(store.native, `${dataset}:old`, { 'u:h': '', 'u:b': '' }, old)
      await putRow(store.native, `${dataset}:read`, { 'u:h': '', 'u:b': '' }, old)
      expect(await rowsOf(store.native, dataset)).toEqual(['deleted', 'live', 'old', 'read'])
      expect(await kv.get('read')).toBeUndefined()
      await vi.waitFor(async () =>
        expect(await rowsOf(store.native, dataset)).toEqual(['deleted', 'live', 'old']),
      )
      expect(await listed(store)).toEqual(['live'])
      await vi.waitFor(async () => expect(await rowsOf(store.native, dataset)).toEqual(['deleted', 'live']))
      await kv.set('old', bytes('again'))
      expect(await kv.get('old')).toEqual(bytes('again'))
    })

    test('is left alone if it was written again meanwhile', async () => {
      const dataset = freshDataset()
      const store = fresh({ url, dataset })
      const kv = keyValue(store)
      for (let round = 0; round < 10; round++) {
        await putRow(store.native, `${dataset}:k${round}`, { 'u:h': '', 'u:b': '' }, old)
        await Promise.all([kv.get(`k${round}`), kv.set(`k${round}`, bytes('new'))])
        await kv.set(`k${round}`, bytes('newer'), {
          ifVersion: (await kv.getEntry(`k${round}`))?.version ?? null,
        })
      }
      await store.close()
      const again = keyValue(fresh({ url, dataset }))
      for (let round = 0; round < 10; round++) expect(await again.get(`k${round}`)).toEqual(bytes('newer'))
    })
  })
})
