import { setTimeout as pause } from 'node:timers/promises'
import { cache } from '@unikv/cache'
import { json, keyValue } from '@unikv/core'
import { redis, redisPubSub } from '@unikv/redis'
import { type FaultProxy, faultProxy } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, onTestFinished, test } from 'vitest'

const maxStaleMs = 400
let datasets = 0

/** Two processes over one Redis that hear of each other through a proxy. */
async function processes(url: string) {
  const proxy: FaultProxy = await faultProxy(url)
  onTestFinished(() => proxy.close())
  const name = `bus_${process.pid}_${++datasets}`
  const open = () => {
    const bus = redisPubSub({ url: proxy.url, channel: name, silenceMs: 1_000 })
    const layer = cache({ bus, maxStaleMs })
    const kv = keyValue(redis({ url, dataset: name }), [layer, json()])
    onTestFinished(() => kv.close())
    const trusted = (is = true) =>
      until(() => layer.stats().bus?.trusted === is, `the bus is ${is ? '' : 'not '}trusted`)
    return { layer, kv, trusted }
  }
  const one = open()
  const two = open()
  await Promise.all([one.trusted(), two.trusted()])
  // Each is heard of for the first time, which voids once.
  await pause(maxStaleMs)
  await Promise.all([one.trusted(), two.trusted()])
  return { proxy, one, two }
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error(`never: ${what}`)
    await pause(5)
  }
}

describeWith('redis', (url) => {
  test('a write is seen by another process as soon as it is acknowledged, and hits ask nobody', async () => {
    const { one, two } = await processes(url)
    for (let n = 1; n <= 50; n++) {
      await two.kv.set('a', n)
      // The message was taken before the acknowledgement; it comes by another connection.
      await until(() => (one.layer.stats().bus?.invalidations ?? 0) >= n, 'the message came')
      expect(await one.kv.get('a')).toBe(n)
      const { loads } = one.layer.stats()
      expect(await one.kv.get('a')).toBe(n)
      expect(one.layer.stats().loads).toBe(loads)
    }
    expect(two.layer.stats().bus?.untold).toBe(0)
  })

  test('a connection that is reset ends the trust at once, and it comes back', async () => {
    const { one, two, proxy } = await processes(url)
    await two.kv.set('a', 1)
    await one.kv.get('a')
    proxy.inject({ kind: 'reset' })
    await one.trusted(false)
    await two.kv.set('a', 2)
    expect(await one.kv.get('a')).toBe(2)
    expect(two.layer.stats().bus?.untold).toBe(1)
    proxy.pass()
    await Promise.all([one.trusted(), two.trusted()])
    await two.kv.set('a', 3)
    await until(() => (one.layer.stats().bus?.invalidations ?? 0) >= 2, 'the messages came')
    expect(await one.kv.get('a')).toBe(3)
  })

  test('a connection that is dead without being closed is not trusted after maxStaleMs, and opened anew', async () => {
    const { one, two, proxy } = await processes(url)
    await two.kv.set('a', 1)
    await one.kv.get('a')
    proxy.inject({ kind: 'blackHole' })
    await two.kv.set('a', 2)
    const writtenAt = performance.now()
    let staleMs = 0
    while (performance.now() - writtenAt < 2 * maxStaleMs) {
      const askedAt = performance.now()
      if ((await one.kv.get('a')) === 1) staleMs = askedAt - writtenAt
      await pause(2)
    }
    expect(staleMs).toBeLessThan(maxStaleMs)
    expect(one.layer.stats().bus?.worstStaleMs).toBeLessThanOrEqual(maxStaleMs)
    proxy.pass()
    await Promise.all([one.trusted(), two.trusted()])
    expect(await one.kv.get('a')).toBe(2)
  })

  test('a server that takes connections and answers nothing is tried again until it does', async () => {
    const proxy = await faultProxy(url)
    onTestFinished(() => proxy.close())
    proxy.inject({ kind: 'blackHole' })
    const bus = redisPubSub({ url: proxy.url, channel: `late_${process.pid}`, connectTimeoutMs: 300 })
    const layer = cache({ bus, maxStaleMs })
    const kv = keyValue(redis({ url, dataset: `late_${process.pid}` }), [layer, json()])
    onTestFinished(() => kv.close())
    await until(() => proxy.connections > 2, 'it was tried again')
    expect(layer.stats().bus?.trusted).toBe(false)
    proxy.pass()
    await until(() => layer.stats().bus?.trusted === true, 'the bus is trusted')
  })

  test('a foreign message on the channel voids what is kept, and nothing else', async () => {
    const { one, two } = await processes(url)
    await two.kv.set('a', 1)
    await one.kv.get('a')
    const before = one.layer.stats().bus?.voids ?? 0
    const { native } = one.kv
    await native.publish(`bus_${process.pid}_${datasets}`, 'hello')
    await until(() => (one.layer.stats().bus?.voids ?? 0) > before, 'it was heard')
    expect(await one.kv.get('a')).toBe(1)
  })

  test('a process that closes leaves no connection', async () => {
    const { one, two, proxy } = await processes(url)
    expect(proxy.connections).toBe(4)
    await one.kv.close()
    await two.kv.close()
    await until(() => proxy.connections === 0, 'all are closed')
  })
})

test.each([
  [{ url: 'redis+cluster://a:1,b:2', channel: 'x' }, 'single Redis server'],
  [{ channel: '' }, 'The channel needs a name'],
  [{ channel: 'x', silenceMs: 0 }, 'silenceMs'],
  [{ channel: 'x', url: 'http://user:secret@host' }, 'not a Redis URL'],
])('%j is refused', (options, message) => {
  expect(() => redisPubSub(options)).toThrow(message)
  expect(() => redisPubSub(options)).not.toThrow('secret')
})

test('a server that is not there is no error, and no trust', async () => {
  const layer = cache({ bus: redisPubSub({ url: 'redis://127.0.0.1:1', channel: 'x' }) })
  const { memory } = await import('@unikv/core/memory')
  const kv = keyValue(memory(), [layer, json()])
  await kv.set('a', 1)
  expect(await kv.get('a')).toBe(1)
  expect(await kv.get('a')).toBe(1)
  expect(layer.stats()).toMatchObject({ revalidations: 1, bus: { trusted: false, untold: 1 } })
  await kv.close()
})
