import { randomBytes } from 'node:crypto'
import { compression } from '@unikv/compression'
import { type AnyLayer, type Json, json, keyValue } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, keyring, reencrypt } from '@unikv/encryption'
import { expect, test } from 'vitest'

const keys = keyring({ primary: 'k1', keys: { k1: randomBytes(32) } })
const dataset = 'd'

/** What a dataset is written with, what it is moved with, and what it ends with. */
const moves: readonly [
  string,
  readonly (() => AnyLayer)[],
  readonly (() => AnyLayer)[],
  readonly (() => AnyLayer)[],
][] = [
  ['under compression', [], [() => compression({ acceptPlain: true })], [() => compression()]],
  [
    'that is encrypted, under compression',
    [() => encryption({ dataset, keys })],
    [() => compression({ withEncryption: true, acceptPlain: true }), () => encryption({ dataset, keys })],
    [() => compression({ withEncryption: true }), () => encryption({ dataset, keys })],
  ],
  [
    'under compression and encryption at once',
    [],
    [
      () => compression({ withEncryption: true, acceptPlain: true }),
      () => encryption({ dataset, keys, requireEncryption: false }),
    ],
    [() => compression({ withEncryption: true }), () => encryption({ dataset, keys })],
  ],
  [
    'under deltas, compression and encryption at once',
    [],
    [
      () => delta({ acceptPlain: true }),
      () => compression({ withEncryption: true, acceptPlain: true }),
      () => encryption({ dataset, keys, requireEncryption: false }),
    ],
    [() => delta(), () => compression({ withEncryption: true }), () => encryption({ dataset, keys })],
  ],
]

test.each(moves)('a plain dataset moves in place %s', async (_, before, moving, after) => {
  const store = memory()
  const open = (layers: readonly (() => AnyLayer)[]) => {
    const typed = () => keyValue(store, [json()])
    const made: readonly AnyLayer[] = [json(), ...layers.map((one) => one())]
    return keyValue<MemoryStore, readonly AnyLayer[]>(store, made) as unknown as ReturnType<typeof typed>
  }
  const values = new Map<string, Json>(
    Array.from({ length: 30 }, (_none, i) => [`key ${i}`, { text: 'abc '.repeat(i * 20), i }]),
  )
  const old = open(before)
  for (const [key, value] of values) await old.set(key, value, { ttlMs: 3_600_000 })
  const between = open(moving)
  await between.set('key 7', 'newer')
  values.set('key 7', 'newer')
  expect(await between.getMany(Array.from(values.keys()))).toEqual(Array.from(values.values()))
  for await (const key of between.keys()) await between.update(key, (value) => value)
  const moved = open(after)
  expect(await moved.getMany(Array.from(values.keys()))).toEqual(Array.from(values.values()))
  expect((await moved.getEntry('key 8'))?.expiresAt).toBeDefined()
  if (after.length > 1) expect(await reencrypt(moved)).toMatchObject({ rewritten: 0, failed: 0 })
})
