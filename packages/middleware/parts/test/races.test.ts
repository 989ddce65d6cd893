import { describe, expect, test } from 'vitest'
import { readStream, writeStream } from '../src/index.ts'
import { bodyOf, bytesOf, noise, opened, pieces, streamedFrom } from './opened.ts'

const now = { at: 1_700_000_000_000 }
const clock = () => now.at

/** Does something once, before the next call that this is about. */
function once(isIt: () => boolean, work: () => Promise<unknown>): () => Promise<void> {
  let isDone = false
  return async () => {
    if (isDone || !isIt()) return
    isDone = true
    await work()
  }
}

describe('a reader during an overwrite', () => {
  test.each([
    ['a longer value', noise(900, 2)],
    ['a short value', noise(9, 2)],
  ])('begins anew if nothing was handed out: %s', async (_, next) => {
    for (const read of [(kv: Kv) => kv.get('a'), (kv: Kv) => streamedFrom(kv, 'a')]) {
      const { kv, other, hooks, layer, keys } = opened()
      await kv.set('a', noise(500))
      let reads = 0
      hooks.onRead = once(
        () => ++reads === 2,
        async () => {
          await writeStream(other, 'a', pieces(next))
          await expect.poll(async () => (await keys()).parts.length).toBe(next.length > 100 ? 9 : 0)
        },
      )
      expect(Buffer.from((await read(kv)) as Uint8Array)).toEqual(next)
      expect(layer.stats()[0]?.overtaken).toBe(read.toString().includes('get') ? 1 : 0)
    }
  })

  test('is told so if parts were handed out, and never gets a mixture', async () => {
    const { kv, keys } = opened()
    await kv.set('a', noise(1000))
    const reader = (await bodyOf(readStream(kv, 'a'))).getReader()
    expect(Buffer.from((await reader.read()).value as Uint8Array)).toEqual(noise(100))
    await kv.set('a', noise(1000, 2))
    await expect.poll(async () => (await keys()).parts.length).toBe(10)
    const rest = async () => {
      for (let at = 100; at < 1000; at += 100) {
        const { value } = await reader.read()
        expect(Buffer.from(value as Uint8Array)).toEqual(noise(1000).subarray(at, at + 100))
      }
    }
    await expect(rest()).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true })
    expect(await streamedFrom(kv, 'a')).toEqual(noise(1000, 2))
  })

  test('a value that is always replaced is given up', async () => {
    const { kv, other, hooks, keys } = opened()
    await kv.set('a', noise(300))
    let seed = 1
    hooks.onRead = async (reads) => {
      if (reads.length < 3) return
      const own = hooks.onRead
      hooks.onRead = () => {}
      await other.set('a', noise(300, ++seed))
      await expect.poll(async () => (await keys()).parts.length).toBe(3)
      hooks.onRead = own
    }
    await expect(kv.get('a')).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(seed).toBe(17)
  })
})

type Kv = ReturnType<typeof opened>['kv']

describe('writers', () => {
  test('a wrong condition leaves the old value whole, and none of its own parts', async () => {
    const { kv, hooks, keys } = opened()
    const { version } = await kv.set('a', noise(500))
    await kv.set('a', noise(300))
    let written = 0
    hooks.onWrite = () => written++
    const wrong = { ifVersion: version as string }
    for (const options of [wrong, { ifVersion: null }]) {
      await expect(kv.set('a', noise(700), options)).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
      const stream = writeStream(kv, 'a', pieces(noise(700)), options)
      await expect(stream).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
      if (options === wrong)
        await expect(kv.delete('a', wrong)).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
    }
    expect(await streamedFrom(kv, 'a')).toEqual(noise(300))
    await expect.poll(async () => (await keys()).parts.length).toBe(3)
    expect(written).toBeLessThan(10)
  })

  test('a condition that fails at last takes the parts back', async () => {
    const { kv, keys } = opened()
    await kv.set('a', noise(500))
    const head = await kv.head('a')
    async function* overtaken() {
      yield noise(700, 2)
      await kv.set('a', noise(300))
    }
    const write = writeStream(kv, 'a', overtaken(), { ifVersion: head?.version as string })
    await expect(write).rejects.toMatchObject({ code: 'CONDITION_FAILED' })
    expect(await streamedFrom(kv, 'a')).toEqual(noise(300))
    await expect.poll(async () => (await keys()).parts.length).toBe(3)
  })

  test('an unconditional write that was overtaken is tried again, and leaves no parts', async () => {
    const { kv, hooks, keys } = opened()
    await kv.set('a', noise(500))
    const other = () => kv.namespace('x') && kv.set('a', noise(400, 3))
    hooks.onWrite = once(
      () => true,
      async () => {},
    )
    async function* slow() {
      yield noise(600, 2)
      await other()
      yield noise(100, 4)
    }
    await writeStream(kv, 'a', slow())
    expect((await streamedFrom(kv, 'a'))?.length).toBe(700)
    await expect.poll(async () => (await keys()).parts.length).toBe(7)
  })

  test('update counts right with many at a time', async () => {
    const { kv, keys } = opened()
    await kv.set('a', Buffer.alloc(300))
    const add = () =>
      kv.update('a', (bytes) => {
        const next = Buffer.from(bytes as Uint8Array)
        next.writeUInt32BE(next.readUInt32BE(0) + 1)
        return next
      })
    await Promise.all(Array.from({ length: 20 }, add))
    expect(Buffer.from((await kv.get('a')) as Uint8Array).readUInt32BE(0)).toBe(20)
    await expect.poll(async () => (await keys()).parts.length).toBe(3)
  })
})

describe('expiry', () => {
  test('parts live longer than their record, and go', async () => {
    const { kv, keys } = opened({}, clock)
    await kv.set('a', noise(500), { ttlMs: 60_000 })
    await writeStream(kv, 'b', pieces(noise(500)), { ttlMs: 60_000 })
    expect((await readStream(kv, 'b'))?.expiresAt).toBe(now.at + 60_000)
    now.at += 59_999
    const open = await readStream(kv, 'a')
    now.at += 2
    expect(await kv.get('a')).toBeUndefined()
    expect(await readStream(kv, 'b')).toBeUndefined()
    expect(await bytesOf(open?.body as ReadableStream)).toEqual(noise(500))
    now.at += 601_000
    await expect.poll(async () => (await keys()).parts.length).toBe(0)
  })

  test.each(['touch', 'keep'] as const)('a record that lives on by %s keeps its parts', async (how) => {
    const { kv, keys } = opened({}, clock)
    await kv.set('a', noise(500), { ttlMs: 60_000 })
    if (how === 'touch') expect(await kv.touch('a', { ttlMs: 10_000_000 })).toBe(true)
    else {
      await kv.set('a', noise(500), { ttlMs: 10_000_000 })
      await kv.set('a', noise(500), { ttlMs: 'keep' })
      await writeStream(kv, 'a', pieces(noise(500)), { ttlMs: 'keep' })
    }
    now.at += 9_999_999
    expect(await streamedFrom(kv, 'a')).toEqual(noise(500))
    now.at += 2
    expect(await kv.get('a')).toBeUndefined()
    expect(await kv.touch('a', { ttlMs: 1 })).toBe(false)
    expect((await keys()).parts).toHaveLength(5)
  })

  test('a shorter life, and short values, need no look at parts', async () => {
    const { kv, hooks } = opened({}, clock)
    await kv.set('a', noise(500), { ttlMs: 60_000 })
    await kv.set('b', noise(5))
    const touched: string[] = []
    hooks.onWrite = (mutations) => touched.push(...mutations.map(({ key }) => key))
    expect(await kv.touch('a', { ttlMs: 30_000 })).toBe(true)
    expect(await kv.touch('b', { ttlMs: 30_000 })).toBe(true)
    expect(touched).toEqual(['a', 'b'])
  })
})

test('a delete takes the parts along', async () => {
  const { kv, keys } = opened()
  await kv.setMany([
    ['a', noise(500)],
    ['b', noise(500)],
  ])
  await kv.delete('a')
  await expect.poll(async () => (await keys()).parts.length).toBe(5)
  await kv.clear({ all: true })
  await expect.poll(async () => (await keys()).parts.length).toBe(0)
})
