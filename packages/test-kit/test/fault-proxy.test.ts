import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as nap } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type FaultProxy, faultProxy } from '../src/fault-proxy.ts'
import { firstReply } from '../src/first-reply.ts'
import { describeWith } from '../src/vitest.ts'

/** Answers each connection with what it sent, in capitals, and records it. */
class Shouter {
  readonly #server: Server = createServer({ allowHalfOpen: true }, (socket) => this.#talk(socket))
  received = ''

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `tcp://someone:secret@127.0.0.1:${(this.#server.address() as AddressInfo).port}/path`
  }

  close(): void {
    this.#server.close()
  }

  #talk(socket: Socket): void {
    socket.on('data', (chunk) => {
      this.received += chunk.toString()
      socket.write(chunk.toString().toUpperCase())
    })
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
  }
}

/** A client that remembers how its connection ended. */
class Client {
  readonly socket: Socket
  readonly ended: Promise<'end' | 'reset'>
  received = ''

  constructor(proxy: FaultProxy) {
    this.socket = connect(proxy.port, '127.0.0.1')
    this.socket.on('data', (chunk) => {
      this.received += chunk.toString()
    })
    this.ended = new Promise((resolve) => {
      this.socket.once('end', () => resolve('end'))
      this.socket.once('error', () => resolve('reset'))
    })
  }

  async receives(text: string): Promise<void> {
    while (!this.received.includes(text)) await once(this.socket, 'data')
  }

  async says(text: string): Promise<void> {
    this.socket.write(text)
    await this.receives(text.toUpperCase())
  }
}

let server: Shouter
let proxy: FaultProxy
let client: Client

beforeEach(async () => {
  server = new Shouter()
  proxy = await faultProxy(await server.listen())
  client = new Client(proxy)
})

afterEach(async () => {
  client.socket.destroy()
  await proxy.close()
  server.close()
})

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

  test('keeps the rest of the target URL', () => {
    expect(proxy.url).toBe(`tcp://someone:secret@127.0.0.1:${proxy.port}/path`)
  })
})

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
