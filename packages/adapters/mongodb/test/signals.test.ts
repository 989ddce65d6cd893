import { getEventListeners } from 'node:events'
import { keyValue } from '@unikv/core'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterEach, expect, test, vi } from 'vitest'
import { mongodbBench } from './mongodb-bench.ts'

const counted = vi.hoisted((): { made: AbortSignal[] | undefined } => ({ made: undefined }))

// Nothing is replaced: the real controllers are counted, over a real server.
vi.mock('@unikv/core/platform', async (original) => {
  const own = await original<{ AbortController: typeof AbortController }>()
  class Counted extends own.AbortController {
    constructor() {
      super()
      counted.made?.push(this.signal)
    }
  }
  return { ...own, AbortController: Counted }
})

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)
  const made: AbortSignal[] = []
  afterEach(() => void (counted.made = undefined))

  test('a signal serves one command after the other, and the driver leaves nothing on it', async () => {
    const kv = keyValue(bench.store({ url, collection: await bench.collection() }))
    await kv.get('opened')
    counted.made = made
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => kv.set(`key ${n}`, Buffer.from('value'), { ifVersion: null })),
    )
    const atOnce = made.length
    for (let n = 0; n < 40; n++) await kv.set(`key ${n % 8}`, Buffer.from(`value ${n}`))
    for (let n = 0; n < 8; n++)
      expect(Buffer.from((await kv.get(`key ${n}`)) ?? []).toString()).toBe(`value ${32 + n}`)
    expect(atOnce).toBeGreaterThan(0)
    expect(made).toHaveLength(atOnce)
    for (const signal of made) expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('a signal that ended a command is not used again', async () => {
    const kv = keyValue(bench.store({ url, collection: await bench.collection() }))
    await kv.set('key', Buffer.from('value'))
    const given = new AbortController()
    const ended = kv.get('key', { signal: given.signal })
    given.abort()
    await expect(ended).rejects.toMatchObject({ code: 'ABORTED' })
    for (let n = 0; n < 4; n++) expect(Buffer.from((await kv.get('key')) ?? []).toString()).toBe('value')
  })
})
