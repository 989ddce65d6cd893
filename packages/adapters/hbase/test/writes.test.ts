import { keyValue, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test, vi } from 'vitest'
import { bytes, fresh, freshDataset } from './fresh.ts'

describeWith('hbase', (url) => {
  test('a record that is written again right after its deletion is there', async () => {
    const dataset = freshDataset()
    const [one, other] = [fresh({ url, dataset }), fresh({ url, dataset })].map((store) => keyValue(store))
    if (one === undefined || other === undefined) throw new Error('two stores')
    for (let round = 0; round < 40; round++) {
      await one.set('k', bytes(`a ${round}`))
      await other.delete('k')
      expect(await one.get('k')).toBeUndefined()
      const { version } = await one.set('k', bytes(`b ${round}`), { ifVersion: null })
      expect(await other.getEntry('k')).toMatchObject({ version })
      await other.delete('k', { ifVersion: version })
      expect(await one.get('k')).toBeUndefined()
      await one.setMany([['k', bytes(`c ${round}`)]])
      expect(await other.get('k')).toEqual(bytes(`c ${round}`))
    }
  })

  test('nothing to read or to write needs no request', async () => {
    const store = fresh({ url })
    await keyValue(store).get('opened')
    const asked = vi.spyOn(store.native as unknown as { ask(): unknown }, 'ask')
    expect(await store.write([], callOptions())).toEqual([])
    expect(await store.read([], callOptions())).toEqual([])
    expect(asked).not.toHaveBeenCalled()
    await keyValue(store).get('asks')
    expect(asked).toHaveBeenCalledOnce()
  })

  test('a condition that the gateway answers a second time is known by its token', async () => {
    const store = fresh({ url })
    const version = newVersion()
    const set = { type: 'set', key: 'k', value: bytes('v'), version, ifVersion: null } as const
    expect(await store.write([set], callOptions())).toEqual([{ version }])
    expect(await store.write([set], callOptions())).toEqual([{ version }])
    const token = newVersion()
    const remove = { type: 'delete', key: 'k', version: token, ifVersion: version } as const
    expect(await store.write([remove], callOptions())).toEqual([{ version: token }])
    expect(await store.write([remove], callOptions())).toEqual([{ version: token }])
    expect(await store.write([{ ...remove, version: newVersion() }], callOptions())).toMatchObject([
      { conditionFailed: true },
    ])
  })
})
