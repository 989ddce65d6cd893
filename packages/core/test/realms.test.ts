import { runInNewContext } from 'node:vm'
import { describe, expect, test, vi } from 'vitest'
import { attempt, callOptions, layersOf } from '../src/adapter/index.ts'
import { structured } from '../src/codecs/structured.ts'
import { bytes, type Codec, codec, compose, document, isStoreError, json, keyValue } from '../src/index.ts'
import { bytesKey } from '../src/keys/key-codec.ts'
import { memory } from '../src/memory/memory.ts'
import { isError, isPlainObject } from '../src/platform/index.ts'
import { ForeignController } from './foreign-signal.ts'
import { silentStore } from './slow-store.ts'

const foreign = <T>(expression: string): T => runInNewContext(expression) as T

describe('values of another realm', () => {
  test('are stored by json, structured, bytes, and as keys', async () => {
    const plain = foreign<object>('({ a: [1, { b: null }], c: Object.create(null) })')
    const same = JSON.parse(JSON.stringify(plain)) as object
    const jsons = keyValue(memory(), [json()])
    await jsons.set('a', plain as never)
    expect(await jsons.get('a')).toEqual(same)
    const tagged = keyValue(memory(), [structured()])
    const rich = foreign<object>(
      '({ d: new Date(5), m: new Map([[1, new Set([2])]]), y: new Uint8Array([7]), o: {} })',
    )
    await tagged.set('a', rich as never)
    expect(await tagged.get('a')).toEqual({
      d: new Date(5),
      m: new Map([[1, new Set([2])]]),
      y: new Uint8Array([7]),
      o: {},
    })
    const raw = keyValue(memory(), [bytes()], { keys: bytesKey() })
    await raw.set(foreign('new Uint8Array([1])'), foreign('new Uint8Array([2, 3])'))
    expect(await raw.get(new Uint8Array([1]))).toEqual(new Uint8Array([2, 3]))
  })

  test.each(['new (class A {})', 'new (class extends Date {})', 'new (class extends Map {})'])(
    'are class instances there as here: %s',
    async (expression) => {
      const values = foreign<never>(`({ at: ${expression} })`)
      for (const layer of [json(), structured()] as const)
        await expect(keyValue(memory(), [layer as never]).set('a', values)).rejects.toMatchObject({
          code: 'INVALID_VALUE',
        })
    },
  )

  test('are compared by what they hold, where a schema brings them back', async () => {
    const schema = {
      '~standard': {
        version: 1 as const,
        vendor: 'test',
        validate: (value: unknown) => ({ value: { at: new Date((value as { at: string }).at) } }),
      },
    }
    const kv = keyValue(memory(), [json(schema)])
    await kv.set('a', foreign('({ at: new Date(5) })'))
    expect(await kv.get('a')).toEqual({ at: new Date(5) })
  })

  test('are told apart', () => {
    expect(isError(foreign('new TypeError("no")'))).toBe(true)
    expect(isError(new DOMException('no', 'AbortError'))).toBe(true)
    expect(isError('no')).toBe(false)
    expect(isPlainObject(foreign('({})'))).toBe(true)
    expect(isPlainObject(foreign('new Date()'))).toBe(false)
    expect(isPlainObject(Object.create(Object.create(null)))).toBe(false)
  })

  test('errors of a codec keep their place as causes, promises of it are awaited', async () => {
    const own: Codec<string> = {
      name: 'own',
      encode: (text) =>
        foreign<(bytes: Uint8Array) => Promise<Uint8Array>>('async (b) => b')(Buffer.from(text)),
      decode: () => foreign<() => never>('() => { throw new TypeError("no") }')(),
    }
    const kv = keyValue(memory(), [codec(own)])
    await kv.set('a', 'text')
    const error = await kv.get('a').catch((caught: unknown) => caught)
    expect(isStoreError(error)).toBe(true)
  })
})

describe('signals of a polyfill', () => {
  test('abort a call, and leave one listener for all', async () => {
    const controller = new ForeignController()
    const kv = keyValue(silentStore(), [], { timeoutMs: 60_000 })
    const calls = Array.from({ length: 20 }, (_, i) => kv.get(`k${i}`, { signal: controller.signal }))
    const ends = Promise.allSettled(calls)
    expect(controller.signal).toMatchObject({ listeners: 1 })
    controller.abort('enough')
    for (const end of await ends) expect(end).toMatchObject({ reason: { code: 'ABORTED', cause: 'enough' } })
    await expect(kv.get('a', { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' })
  })

  test('reach stores as signals of Node', async () => {
    const controller = new ForeignController()
    const seen: unknown[] = []
    const store = memory()
    const kv = keyValue({
      ...store,
      read: (reads, call) => {
        seen.push(call.signal)
        return store.read(reads, call)
      },
    })
    await kv.get('a', { signal: controller.signal })
    await kv.get('a', { signal: controller.signal })
    expect(seen).toEqual([expect.any(AbortSignal), seen[0]])
    expect(callOptions({ signal: controller.signal }).signal).toBe(seen[0])
    controller.abort()
    await expect(attempt(callOptions({ signal: controller.signal }), false, async () => 1)).rejects.toThrow()
  })

  test.each([{}, 'signal', 7, null, new EventTarget(), new AbortController()])(
    'what is not a signal is refused before anything is sent: %o',
    async (signal) => {
      const store = memory()
      const kv = keyValue(store)
      const refused = kv.set('a', new Uint8Array(1), { signal: signal as never })
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', operation: 'set' })
      expect(store.native.size).toBe(0)
    },
  )
})

describe('two copies of core', () => {
  test('open what the other composed, and know its remove', async () => {
    vi.resetModules()
    const other = await import('../src/index.ts')
    expect(other.keyValue).not.toBe(keyValue)
    const kv = keyValue(other.compose(memory(), [other.json()]))
    await kv.set('a', { b: 1 })
    expect(await kv.get('a')).toEqual({ b: 1 })
    await kv.update('a', () => other.remove)
    expect(await kv.has('a')).toBe(false)
    expect(() => keyValue(other.compose(memory(), [json()]), [document() as never])).toThrow('Wrong order')
    expect(layersOf(other.compose(memory(), [json()]))).toHaveLength(1)
  })

  test('a copy of a stack with verbs of its own is a store, not that stack', () => {
    const stack = compose(memory(), [json()])
    expect(layersOf({ ...stack })).toHaveLength(0)
    expect(layersOf(Object.create(stack) as typeof stack)).toHaveLength(0)
  })
})
