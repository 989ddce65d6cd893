import { compose, isEntry, newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { delta } from '../src/index.ts'

const below = (changed: object) => ({
  ...memory(),
  capabilities: { ...memory().capabilities, ...changed },
})

test('a store without conditions is refused, by the compiler too', () => {
  const store = memory()
  const { conditionalWrite: _, ...others } = store.capabilities
  const weak = { ...store, capabilities: { ...others, conditionalWrite: false as const } }
  // @ts-expect-error Not possible here: this layer needs a store that declares conditionalWrite
  expect(() => compose(weak, [delta()])).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('a store that evicts, and a second delta layer, are refused', () => {
  const refused = expect.objectContaining({ code: 'INVALID_CONFIG' })
  expect(() => compose(below({ evicts: true }), [delta()])).toThrow(refused)
  expect(() => compose(memory(), [delta(), delta()])).toThrow(refused)
})

test('touch and increment are gone, and values are six bytes shorter', async () => {
  const store = compose(memory(), [delta()])
  expect(store.capabilities).toMatchObject({
    touch: false,
    increment: false,
    documents: false,
    sync: 'none',
  })
  expect(store.capabilities.batch.atomicity).toBe('none')
  expect(compose(below({ maxValueBytes: 100 }), [delta()]).capabilities.maxValueBytes).toBe(94)
  const touch = { type: 'touch', key: 'key', version: newVersion(), expiresAt: 5 } as const
  const [result] = await store.write([touch], callOptions())
  expect(result).toMatchObject({ code: 'UNSUPPORTED' })
})

test.each([
  { maxDeltas: 0 },
  { maxDeltas: 1025 },
  { minBytes: -1 },
  { inlineBytes: Number.NaN },
  { maxDeltaShare: 0 },
  { maxDeltaShare: 1.5 },
  { maxChainShare: 0 },
  { memoryBytes: -1 },
  { maxReplayBytes: 2 ** 31 },
  { maxOutputBytes: 0 },
  { readBeforeWrite: 'yes' as never },
  { acceptPlain: 1 as never },
  { background: true as never },
  { clock: 5 as never },
  { maxDeltaShare: '0.5' as never },
  { maxChainShare: '1' as never },
])('a bad option is refused: %o', (options) => {
  expect(() => delta(options)).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
})

test('records of other layers pass as they are', async () => {
  const store = compose(memory(), [delta()])
  const key = '\u0000mkey\u00000'
  await store.write(
    [{ type: 'set', key, version: newVersion(), value: Buffer.from('marker') }],
    callOptions(),
  )
  const [entry] = await store.read([{ key }], callOptions())
  expect(isEntry(entry) && Buffer.from(entry.value).toString()).toBe('marker')
})
