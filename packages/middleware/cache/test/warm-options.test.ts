import { type Bytes, compose, json, passThrough, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { cache, type ObjectCacheOptions, type WarmOptions } from '../src/index.ts'
import { turn } from './gated-store.ts'
import { narrow } from './warm-setting.ts'

describe('who may have a warm restart', () => {
  const sealed = passThrough('sealed', { capabilities: { sealed: true }, wrap: () => ({}) })

  test('over a sealed store: only with a sealed store, or in plain text by consent', async () => {
    const over = (warm: WarmOptions) => compose(memory(), [cache({ warm }), json(), sealed])
    expect(() => over({ store: memory() })).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('sealed') }),
    )
    for (const warm of [
      { store: compose(memory(), [sealed]) },
      { store: memory(), plaintext: 'allowed' as const },
    ])
      await over(warm).close()
  })

  test('one stack a layer', async () => {
    const near = cache({ warm: { store: memory() } })
    const stack = compose(memory(), [near])
    expect(() => compose(memory(), [near])).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('one stack') }),
    )
    await stack.close()
  })

  test('a store that revalidates, or a cache that has another use for the entries', async () => {
    const blind = passThrough('blind', { capabilities: { conditionalRead: false }, wrap: () => ({}) })
    const over = (options: ObjectCacheOptions) =>
      compose(memory(), [cache({ warm: { store: memory() }, ...options }), blind])
    expect(() => over({})).toThrowError(
      expect.objectContaining({
        code: 'INVALID_CONFIG',
        message: expect.stringContaining('cannot revalidate'),
      }),
    )
    await over({ staleIfErrorMs: 1 }).close()
    await over({ freshForMs: 1, warm: { store: memory(), resume: 'fresh' } }).close()
  })

  test('freshness without an end does not go on', () => {
    const options = {
      freshForMs: Number.POSITIVE_INFINITY,
      warm: { store: memory(), resume: 'fresh' },
    } as const
    expect(() => cache(options)).toThrow('finite freshForMs')
  })

  test.each([
    [{ maxBytes: 0 }, 'maxBytes'],
    [{ maxAgeMs: 0 }, 'maxAgeMs'],
    [{ everyMs: -1 }, 'everyMs'],
    [{ resume: 'always' as never }, 'resume'],
    [{ namespace: 'x'.repeat(256) }, 'namespace'],
    [{ namespace: '' }, 'namespace'],
    [{ store: narrow(memory(), 1_000) }, '1000 bytes'],
    [{ store: compose(memory(), [json()]) }, 'bytes'],
  ])('wrong options are refused: %o', (warm, message) => {
    expect(() => cache({ warm: { store: memory(), ...warm } })).toThrowError(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining(message) }),
    )
  })
})

test('nothing is saved before the stack and after it', async () => {
  const near = cache({ warm: { store: memory() } })
  await expect(near.save()).rejects.toMatchObject({ code: 'CLOSED' })
  const stack: Store<Bytes> = compose(memory(), [near])
  expect(await near.save()).toEqual({ entries: 0, bytes: 0 })
  await stack.close()
  await stack.close()
  await expect(near.save()).rejects.toMatchObject({ code: 'CLOSED' })
  await turn()
  expect(near.stats().warm).toMatchObject({ saves: 2, errors: 0 })
})
