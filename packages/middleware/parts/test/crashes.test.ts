import { compose, keyValue } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { parts, sweepParts, writeStream } from '../src/index.ts'
import { dying, noise, opened, pieces, streamedFrom } from './opened.ts'

const later = () => Date.now() + 2 * 86_400_000

const deeds = {
  set: (kv: Kv) => kv.set('a', noise(777, 2)),
  'a set of a short value': (kv: Kv) => kv.set('a', noise(7, 2)),
  writeStream: (kv: Kv) => writeStream(kv, 'a', pieces(noise(777, 2))),
  delete: (kv: Kv) => kv.delete('a'),
  touch: (kv: Kv) => kv.touch('a', { ttlMs: 3_600_000 }),
}

type Kv = ReturnType<typeof opened>['kv']

const outcomes = {
  set: noise(777, 2),
  'a set of a short value': noise(7, 2),
  writeStream: noise(777, 2),
  delete: undefined,
  touch: noise(555),
}

describe.each(Object.keys(deeds) as (keyof typeof deeds)[])('a process that dies during %s', (name) => {
  test('leaves the old value or the new one, and a sweep finds the rest', async () => {
    const seen = new Set<boolean>()
    for (let after = 0; ; after++) {
      const { kv, hooks, below, keys } = opened()
      await kv.set('a', noise(555), { ttlMs: 60_000 })
      hooks.onWrite = dying(after)
      const isDone = await deeds[name](kv).then(
        () => true,
        () => false,
      )
      hooks.onWrite = () => {}
      // Another process.
      const other = keyValue(below, [parts({ above: 100, size: 100 })])
      const found = await other.get('a')
      const isNew = found?.length !== 555 || name === 'touch'
      expect(found).toEqual(copyOf(isNew ? outcomes[name] : noise(555)))
      expect(await streamedFrom(other, 'a')).toEqual(isNew ? outcomes[name] : noise(555))
      if (isDone) expect(isNew).toBe(true)
      seen.add(isNew)
      await sweepParts(below)
      expect(await streamedFrom(other, 'a')).toEqual(isNew ? outcomes[name] : noise(555))
      await sweepParts(below, { clock: later })
      const named = found === undefined || found.length <= 100 ? 0 : Math.ceil(found.length / 100)
      expect((await keys()).parts).toHaveLength(named)
      expect(await streamedFrom(other, 'a')).toEqual(isNew ? outcomes[name] : noise(555))
      if (isDone && after > 12) break
    }
    if (name !== 'touch') expect(seen).toEqual(new Set([true, false]))
  })
})

function copyOf(bytes: Buffer | undefined): Uint8Array | undefined {
  return bytes === undefined ? undefined : new Uint8Array(bytes)
}

test('a write whose reply was lost leaves its parts, as it may have taken effect', async () => {
  const { kv, below, hooks } = opened()
  const lossy = keyValue(
    compose(
      {
        ...below,
        write: async (mutations, call) => {
          const results = await below.write(mutations, call)
          if (mutations.some(({ key }) => key === 'a')) {
            call.sent = true
            throw new Error('The reply is lost.')
          }
          return results
        },
      },
      [],
    ),
    [parts({ above: 100, size: 100 })],
  )
  for (const write of [lossy.set('a', noise(300, 3)), writeStream(lossy, 'a', pieces(noise(400, 3)))]) {
    await expect(write).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(hooks).toBeDefined()
    const found = await kv.get('a')
    expect(found).toEqual(copyOf(noise(found?.length ?? 0, 3)))
  }
  expect((await kv.get('a'))?.length).toBe(400)
})

test('a sweep leaves what is written now, and what a damaged record may name', async () => {
  const { kv, hooks, below, keys } = opened()
  await kv.set('whole', noise(250))
  hooks.onWrite = dying(1)
  await expect(kv.set('a', noise(950))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  hooks.onWrite = () => {}
  expect(await sweepParts(below)).toEqual({ parts: 13, removed: 0, left: 10 })
  expect(await sweepParts(below, { clock: later })).toEqual({ parts: 13, removed: 10, left: 0 })
  await keyValue(below).set('whole', noise(10))
  expect(await sweepParts(below, { clock: later })).toEqual({ parts: 3, removed: 0, left: 3 })
  expect((await keys()).parts).toHaveLength(3)
})
