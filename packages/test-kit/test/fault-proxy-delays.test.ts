import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as nap } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Client, client, proxy, server } from './fault-proxy-setting.ts'

describe('hold', () => {
  test('keeps the reply back until it is lifted, after the server has acted', async () => {
    await client.says('one ')
    const fault = proxy.inject({ kind: 'hold', side: 'response' })
    client.socket.write('two')
    await fault.struck
    expect([server.received, client.received]).toEqual(['one two', 'ONE '])
    proxy.pass()
    await client.receives('ONE TWO')
  })

  test.each<[string, (socket: Socket) => void]>([
    ['closed its connection', (socket) => socket.destroy()],
    ['reset its connection', (socket) => socket.resetAndDestroy()],
  ])('hands a request on late, even if the client has %s', async (_, leave) => {
    await client.says('one ')
    const fault = proxy.inject({ kind: 'hold', side: 'request' })
    client.socket.write('two')
    await fault.struck
    leave(client.socket)
    await once(client.socket, 'close')
    expect(server.received).toBe('one ')
    proxy.pass()
    await expect.poll(() => server.received).toBe('one two')
  })

  test('lets what it kept back go through the next fault', async () => {
    await client.says('a')
    const held = proxy.inject({ kind: 'hold', side: 'response' })
    client.socket.write('bcdef')
    await held.struck
    proxy.inject({ kind: 'cut', side: 'response', afterBytes: 3 })
    await client.ended
    expect(client.received).toBe('ABCD')
  })
})

describe('hold of both sides', () => {
  test('is a pause: nothing arrives on either side until it is lifted, and then all of it, in order', async () => {
    await client.says('one ')
    const replies = proxy.inject({ kind: 'hold', side: 'response' })
    client.socket.write('two ')
    await replies.struck
    const pause = proxy.inject({ kind: 'hold', side: 'both' })
    client.socket.write('three')
    await pause.struck
    await nap(100)
    expect([server.received, client.received]).toEqual(['one two ', 'ONE '])
    proxy.pass()
    await client.receives('ONE TWO THREE')
  })

  test('holds what comes over a new connection too', async () => {
    proxy.inject({ kind: 'hold', side: 'both' })
    const second = new Client(proxy)
    second.socket.write('early')
    await nap(50)
    expect(server.received).toBe('')
    proxy.pass()
    await second.receives('EARLY')
    second.socket.destroy()
  })
})

describe('a late reply', () => {
  test('reaches a client that waits for it, and is lost on one that is gone', async () => {
    const gone = new Client(proxy)
    await gone.says('a')
    await client.says('b')
    const late = proxy.inject({ kind: 'hold', side: 'response' })
    gone.socket.write('c')
    await late.struck
    gone.socket.destroy()
    await once(gone.socket, 'close')
    client.socket.write('d')
    await expect.poll(() => server.received).toBe('abcd')
    proxy.pass()
    await client.receives('BD')
    expect(gone.received).toBe('A')
  })
})

describe('drip', () => {
  test('lets so many bytes a second pass on its side, and none are lost', async () => {
    const drip = proxy.inject({ kind: 'drip', side: 'response', bytesPerSecond: 100 })
    const startedAt = performance.now()
    client.socket.write('0123456789012345678901234567890123456789')
    await drip.struck
    await nap(100)
    expect(server.received.length).toBe(40)
    expect(client.received.length).toBeLessThan(40)
    await client.receives('0123456789012345678901234567890123456789')
    expect(performance.now() - startedAt).toBeGreaterThan(350)
  })

  test('of one byte a second lets nothing pass at first, and all of it once it is lifted', async () => {
    await client.says('one ')
    const drip = proxy.inject({ kind: 'drip', side: 'request', bytesPerSecond: 1 })
    client.socket.write('two three')
    await drip.struck
    await nap(200)
    expect(server.received).toBe('one ')
    proxy.pass()
    await client.receives('ONE TWO THREE')
  })

  test('hands the end on after the last byte', async () => {
    proxy.inject({ kind: 'drip', side: 'both', bytesPerSecond: 200 })
    client.socket.end('farewell')
    expect(await client.ended).toBe('end')
    expect(client.received).toBe('FAREWELL')
  })
})
