import { describe, expect, test } from 'vitest'
import { Client, client, proxy, server } from './fault-proxy-setting.ts'

describe('traffic', () => {
  test('counts the bytes of each side, and each request that follows an answer', async () => {
    expect(proxy.traffic).toEqual({ requestBytes: 0, responseBytes: 0, roundTrips: 0 })
    await client.says('one')
    await client.says('three')
    expect(proxy.traffic).toEqual({ requestBytes: 8, responseBytes: 8, roundTrips: 2 })
  })

  test('counts as one round trip what is sent before any answer', async () => {
    const fault = proxy.inject({ kind: 'hold', side: 'response' })
    client.socket.write('one')
    await fault.struck
    client.socket.write('two')
    await expect.poll(() => server.received).toBe('onetwo')
    proxy.pass()
    await client.receives('TWO')
    expect(proxy.traffic).toEqual({ requestBytes: 6, responseBytes: 6, roundTrips: 1 })
  })

  test('counts the round trips of each connection by itself', async () => {
    const second = new Client(proxy)
    await Promise.all([client.says('one'), second.says('two')])
    expect(proxy.traffic).toEqual({ requestBytes: 6, responseBytes: 6, roundTrips: 2 })
    second.socket.destroy()
  })

  test('counts more than the buffers hold', async () => {
    client.socket.end('x'.repeat(3_000_000))
    expect(await client.ended).toBe('end')
    expect([proxy.traffic.requestBytes, proxy.traffic.responseBytes]).toEqual([3_000_000, 3_000_000])
  })

  test('leaves out what a fault holds back or swallows', async () => {
    await client.says('one')
    const held = proxy.inject({ kind: 'hold', side: 'request' })
    client.socket.write('held')
    await held.struck
    expect(proxy.traffic).toEqual({ requestBytes: 3, responseBytes: 3, roundTrips: 1 })
    proxy.pass()
    await client.receives('HELD')
    const swallowed = proxy.inject({ kind: 'blackHole' })
    client.socket.write('swallowed')
    await swallowed.struck
    expect(proxy.traffic).toEqual({ requestBytes: 7, responseBytes: 7, roundTrips: 2 })
  })
})
