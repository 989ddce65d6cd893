import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { faultProxy } from '../src/faults/fault-proxy.ts'
import { Client, client, proxy, server } from './fault-proxy-setting.ts'

describe('pass', () => {
  test('hands bytes on in both directions', async () => {
    await client.says('hello')
    expect(server.received).toBe('hello')
  })

  test('hands the end of one side on without ending the other', async () => {
    client.socket.end('last')
    expect(await client.ended).toBe('end')
    expect(client.received).toBe('LAST')
  })

  test('hands on more than the buffers hold', async () => {
    const large = 'x'.repeat(8_000_000)
    client.socket.end(large)
    expect(await client.ended).toBe('end')
    expect(client.received.length).toBe(large.length)
  })

  test('closes both ends when one goes that did not read what came', async () => {
    client.socket.pause()
    client.socket.write('x'.repeat(8_000_000))
    await expect.poll(() => proxy.traffic.responseBytes).toBeGreaterThan(0)
    client.socket.destroy()
    await expect.poll(() => proxy.connections).toBe(0)
  })

  test('keeps the rest of the target URL', () => {
    expect(proxy.url).toBe(`tcp://someone:secret@127.0.0.1:${proxy.port}/path`)
  })
})

describe('reset', () => {
  test('resets open connections and new ones until it is lifted', async () => {
    await client.says('one')
    const fault = proxy.inject({ kind: 'reset' })
    await fault.struck
    expect(await client.ended).toBe('reset')
    expect(await new Client(proxy).ended).toBe('reset')
    proxy.pass()
    const next = new Client(proxy)
    await next.says('two')
    next.socket.destroy()
  })
})

describe('blackHole', () => {
  test('accepts connections and swallows everything; lifted, it resets them', async () => {
    await client.says('one')
    const fault = proxy.inject({ kind: 'blackHole' })
    client.socket.write('two')
    await fault.struck
    const second = new Client(proxy)
    await once(second.socket, 'connect')
    expect([server.received, client.received]).toEqual(['one', 'ONE'])
    proxy.pass()
    expect(await client.ended).toBe('reset')
    expect(await second.ended).toBe('reset')
    const third = new Client(proxy)
    await third.says('three')
    third.socket.destroy()
  })
})

describe('faultProxy', () => {
  test('resets a client whose server is down', async () => {
    server.close()
    client.socket.destroy()
    await once(client.socket, 'close')
    const late = new Client(proxy)
    expect(await late.ended).toBe('reset')
  })

  test('close resets what is open and is fine twice', async () => {
    await client.says('one')
    expect(proxy.connections).toBe(1)
    await proxy.close()
    expect(await client.ended).toBe('reset')
    await proxy.close()
  })

  test('refuses a target without a port', async () => {
    await expect(faultProxy('redis://127.0.0.1')).rejects.toThrow(TypeError)
  })
})
