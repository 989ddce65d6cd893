import { cache, type InvalidationBus } from '@unikv/cache'
import { type AnyStore, compose, keyValue, StoreError, text, type WriteResult } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { fallback, mirror } from '@unikv/mirror'
import { writeBehind } from '@unikv/write-behind'
import { expect, test } from 'vitest'

const bus = { name: 'bus', connect: () => ({ publish: async () => {}, close: async () => {} }) } as never

/** Stores of two, whose primary is made by the test. */
const pairs = [
  ['mirror', (primary: AnyStore) => mirror(primary as never, memory())],
  ['fallback', (primary: AnyStore) => fallback(primary as never, memory())],
  [
    'a pair of pairs',
    (primary: AnyStore) => compose(mirror(fallback(primary as never, memory()), memory()), []),
  ],
] as const

test.each(pairs)('a cache that others see is refused above %s over a queue of writes', (_, pair) => {
  const shared = [
    () => cache({ store: memory() }),
    () => cache({ bus: bus as InvalidationBus, maxStaleMs: 100 }),
  ]
  for (const make of shared) {
    const behind = (options: object) => pair(compose(memory(), [writeBehind(options)]) as AnyStore)
    const open = (options: object) => keyValue(behind(options) as never, [text(), make()] as never)
    expect(() => open({ background: () => {} })).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
    expect(() => open({})).not.toThrow()
  }
})

test.each(pairs)('a cache above %s forgets what a queue in its primary loses', async (_, pair) => {
  const inner = memory()
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const refuses = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' },
    write: async (mutations: readonly unknown[]): Promise<readonly WriteResult[]> => {
      await opened
      return mutations.map(() => new StoreError('VALUE_TOO_LARGE', 'No.'))
    },
  }
  const layer = writeBehind({ background: () => {}, onLost: () => {} })
  const base = pair(compose(refuses as never, [layer]) as AnyStore)
  const kv = keyValue(base as never, [cache({ onWrite: 'through' }), text()] as never) as unknown as {
    set(key: string, value: string): Promise<unknown>
    get(key: string): Promise<string | undefined>
    close(): Promise<void>
  }
  await kv.set('lost', '1')
  expect(await kv.get('lost')).toBe('1')
  open()
  await layer.flush().catch(() => {})
  expect(await kv.get('lost')).toBeUndefined()
  await kv.close().catch(() => {})
})
