import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faultProxy } from '../src/faults/fault-proxy.ts'
import { firstReply } from '../src/faults/first-reply.ts'
import { describeWith } from '../src/vitest.ts'
import { Client, client, proxy, server } from './fault-proxy-setting.ts'

describe('cut', () => {
  test('of the response after 0 bytes loses the reply and not the effect', async () => {
    const fault = proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
    client.socket.write('effect')
    await client.ended
    await fault.struck
    expect([server.received, client.received]).toEqual(['effect', ''])
  })

  test('of the request after 0 bytes loses the effect', async () => {
    await client.says('one')
    proxy.inject({ kind: 'cut', side: 'request', afterBytes: 0 })
    client.socket.write('two')
    await client.ended
    expect(server.received).toBe('one')
  })

  test('strikes once by default, and lets the next connection pass', async () => {
    proxy.inject({ kind: 'cut', side: 'request', afterBytes: 0 })
    client.socket.write('one')
    await client.ended
    const next = new Client(proxy)
    await next.says('two')
    next.socket.destroy()
    expect(server.received).toBe('two')
  })

  test('strikes as many connections as it is told', async () => {
    proxy.inject({ kind: 'cut', side: 'request', afterBytes: 0, times: 2 })
    const clients = [client, new Client(proxy)]
    for (const each of clients) each.socket.write('lost')
    await Promise.all(clients.map((each) => each.ended))
    const third = new Client(proxy)
    await third.says('kept')
    third.socket.destroy()
    expect(server.received).toBe('kept')
  })

  test('lets exactly so many bytes pass, however they are divided', async () => {
    const texts = fc.array(fc.stringMatching(/^[a-z]{1,40}$/), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        texts,
        fc.constantFrom('request', 'response'),
        fc.nat(100),
        async (parts, side, extra) => {
          const text = parts.join('')
          const afterBytes = extra % (text.length + 1)
          const own = new Client(proxy)
          await own.says('first')
          server.received = ''
          own.received = ''
          proxy.inject({ kind: 'cut', side, afterBytes })
          for (const part of parts) own.socket.write(part)
          await own.ended
          const got = side === 'request' ? () => server.received : () => own.received
          await expect.poll(got).toBe((side === 'request' ? text : text.toUpperCase()).slice(0, afterBytes))
          own.socket.destroy()
        },
      ),
      { numRuns: 60 },
    )
  })
})

describeWith('redis', (url) => {
  test('a reply that is cut off leaves its effect behind', async () => {
    const key = `test-kit:${randomUUID()}`
    await using redis = await faultProxy(url)
    redis.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
    expect((await firstReply(redis.port, `INCR ${key}\r\n`)).toString()).toBe('')
    expect((await firstReply(redis.port, `INCR ${key}\r\n`)).toString()).toBe(':2\r\n')
    await firstReply(redis.port, `DEL ${key}\r\n`)
  })
})
