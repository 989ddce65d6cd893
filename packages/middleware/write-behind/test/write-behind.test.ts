import { json, keyValue, newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'
import { behind, bytes, goesOn, started, textOf } from './setting.ts'

describe('a write', () => {
  test('is acknowledged and read before the store has it', async () => {
    const { kv, inner, open, layer } = behind()
    const { version } = await kv.set('key', bytes('one'))
    expect(textOf(await kv.get('key'))).toBe('one')
    expect(await kv.getEntry('key')).toMatchObject({ version, meta: { tier: 'write-behind' } })
    expect(await kv.has('key')).toBe(true)
    expect(inner.native.size).toBe(0)
    await open()
    await layer.flush()
    expect(inner.native.get('key')).toMatchObject({ version })
    expect(await kv.getEntry('key')).toMatchObject({ version })
  })

  test('of a value that the writer changes later is that of the moment', async () => {
    const { kv, open, layer, inner } = behind()
    const value = bytes('one')
    await kv.set('key', value)
    value[0] = 0
    const read = (await kv.get('key')) as Uint8Array
    read[0] = 0
    await open()
    await layer.flush()
    expect(textOf(inner.native.get('key')?.value)).toBe('one')
  })

  test('is awaited where nobody takes work that outlives the answer, with the error of the store', async () => {
    const { kv, answer, refuse, writes } = behind({ background: undefined })
    let isDone = false
    const work = kv.set('key', bytes('one')).then(() => {
      isDone = true
    })
    await started(writes)
    expect(isDone).toBe(false)
    await answer()
    await work
    refuse(() => new StoreError('INVALID_VALUE', 'No such value.'))
    const refused = expect(kv.set('key', bytes('two'))).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    await started(writes, 2)
    await answer()
    await refused
  })

  test('gives its work to background once a burst', async () => {
    const given: Promise<unknown>[] = []
    const { kv, open, inner } = behind({ background: (work) => given.push(work) })
    await Promise.all(['a', 'b', 'c'].map((key) => kv.set(key, bytes(key))))
    expect(given).toHaveLength(1)
    await open()
    await given[0]
    expect(inner.native.size).toBe(3)
  })

  test('with a condition is UNSUPPORTED, whoever asks', async () => {
    const { queue, kv, writes } = behind()
    const call = callOptions()
    const results = await queue.write(
      [{ type: 'set', key: 'key', value: bytes('one'), version: newVersion(), ifVersion: null }],
      call,
    )
    expect(results[0]).toMatchObject({ code: 'UNSUPPORTED' })
    // @ts-expect-error -- the types say so too
    await expect(kv.set('key', bytes('one'), { ifVersion: null })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    })
    expect(writes).toHaveLength(0)
  })
})

test('objects go through a codec above it', async () => {
  const users = keyValue(memory(), [json(), writeBehind({ background: goesOn })])
  await users.set('ada', { name: 'Ada' })
  expect(await users.get('ada')).toEqual({ name: 'Ada' })
  await users.close()
})

test.each<WriteBehindOptions>([
  { maxBatch: 0 },
  { delayMs: -1 },
  { maxQueued: 1.5 },
  { maxQueuedBytes: Number.NaN },
  { whenFull: 'drop' as never },
  { background: true as never },
  { retryMs: 0 },
  { timeoutMs: Number.NaN },
  { journal: memory() },
  { background: goesOn, journal: memory(), namespace: '' },
])('a bad option is INVALID_CONFIG: %o', (options) => {
  expect(() => writeBehind(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})
