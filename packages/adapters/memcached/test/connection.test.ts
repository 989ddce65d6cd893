import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { block, type FaultProxy, faultProxy, ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { memcachedKey } from '../src/index.ts'
import { codeOf, fresh, freshDataset, read, set, text, write, writeAll } from './fresh.ts'

describeWith('memcached', (url) => {
  let proxy: FaultProxy
  beforeEach(async () => {
    proxy = await faultProxy(url)
  })
  afterEach(() => proxy.close())

  for (const type of ['set', 'delete'] as const)
    test(`the lost reply to the second step of a conditional ${type} is OUTCOME_UNKNOWN, and it happened once`, async () => {
      const dataset = freshDataset()
      const [store, direct] = [fresh({ url: proxy.url, dataset }), fresh({ url, dataset })]
      const before = await set(store, 'k', 'old')
      const key = memcachedKey(dataset, 'k')
      // The reply to the first step passes, and the next one is cut after its first bytes.
      const reply = await direct.native.command(`mg ${key} b v f c`)
      const first =
        `VA ${reply.value?.length} ${reply.flags.join(' ')} O1\r\n`.length +
        Number(reply.value?.length) +
        2 +
        'HD'.length
      proxy.inject({ kind: 'cut', side: 'response', afterBytes: first })
      const version = newVersion()
      const call = callOptions()
      const draft = { key: 'k', version, ifVersion: before }
      const result = await write(
        store,
        type === 'set' ? { type, ...draft, value: Buffer.from('new') } : { type, ...draft },
        call,
      )
      expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
      expect(call.sent).toBe(true)
      // The token of the attempt tells that it took effect.
      const found = await read(store, 'k')
      if (type === 'set') expect(found).toMatchObject({ version })
      else expect(found).toBeUndefined()
    })

  test('the lost reply to the first step leaves everything as it was, and says so', async () => {
    const store = fresh({ url: proxy.url })
    const ifVersion = await set(store, 'k', 'old')
    proxy.inject({ kind: 'cut', side: 'response', afterBytes: 0 })
    const call = callOptions()
    expect(await codeOf(write(store, { type: 'delete', key: 'k', ifVersion }, call))).toBe('UNAVAILABLE')
    expect(call.sent).toBe(false)
    expect(await text(store, 'k')).toBe('old')
  })

  test('what was answered of a batch is told, and only the rest is unknown', async () => {
    const store = fresh({ url: proxy.url })
    await set(store, 'warm', 'v')
    proxy.inject({ kind: 'cut', side: 'response', afterBytes: 'HD O1\r\nHD O2\r\nHD'.length })
    const keys = ['a', 'b', 'c', 'd']
    const results = await writeAll(
      store,
      keys.map((key) => ({ type: 'set', key, value: Buffer.from(key) }) as const),
    )
    expect(results.map((result) => ('code' in result ? result.code : 'done'))).toEqual([
      'done',
      'done',
      'OUTCOME_UNKNOWN',
      'OUTCOME_UNKNOWN',
    ])
  })

  test('a call that ends early leaves its reply to nobody, and the connection to the others', async () => {
    const store = fresh({ url: proxy.url })
    await set(store, 'a', '1')
    await set(store, 'b', '2')
    proxy.inject({ kind: 'hold', side: 'response' })
    const controller = new AbortController()
    const early = codeOf(Promise.resolve(read(store, 'a', {}, callOptions({ signal: controller.signal }))))
    const late = codeOf(
      Promise.resolve(read(store, 'a', {}, callOptions({ deadlineAt: performance.now() + 50 }))),
    )
    const other = text(store, 'b')
    controller.abort()
    expect(await early).toBe('ABORTED')
    expect(await late).toBe('TIMEOUT')
    proxy.pass()
    expect(await other).toBe('2')
    expect(proxy.connections).toBe(1)
  })

  test('a silent server is given up after socketTimeoutMs, and the next call has a new connection', async () => {
    const store = fresh({ url: proxy.url, socketTimeoutMs: 2_000 })
    await set(store, 'k', 'v')
    proxy.inject({ kind: 'blackHole' })
    const waiting = [codeOf(Promise.resolve(read(store, 'k'))), codeOf(set(store, 'k', 'w'))]
    expect(await Promise.all(waiting)).toEqual(['UNAVAILABLE', 'OUTCOME_UNKNOWN'])
    proxy.pass()
    expect(await text(store, 'k')).toBe('v')
  })

  test('an event loop that was blocked is not taken for a silent server', async () => {
    const store = fresh({ url, socketTimeoutMs: 40 })
    await set(store, 'k', 'v')
    for (let round = 0; round < 3; round++) {
      const answer = text(store, 'k')
      block(200)
      expect(await answer).toBe('v')
    }
  })

  test('a connection that does not open in connectTimeoutMs is UNAVAILABLE', async () => {
    proxy.inject({ kind: 'blackHole' })
    const store = fresh({ url: proxy.url, connectTimeoutMs: 100 })
    expect(await codeOf(Promise.resolve(read(store, 'k')))).toBe('UNAVAILABLE')
  })
})

describeWithOwn('memcached', async () => {
  const server = await ownServer('memcached')
  afterAll(() => server.stop())

  test('what a server does not read is bounded: more is OVERLOADED, and nothing of it is sent', async () => {
    const store = fresh({ url: server.url })
    await set(store, 'k', 'v')
    server.pause()
    const value = Buffer.alloc(1_000_000)
    const call = callOptions({ deadlineAt: performance.now() + 20_000 })
    const writes = []
    for (let i = 0; i < 100; i++) {
      writes.push(codeOf(write(store, { type: 'set', key: `k${i}`, value }, i < 90 ? call : callOptions())))
      // What was written in one tick goes out together.
      await Promise.resolve()
    }
    expect(await writes.at(-1)).toBe('OVERLOADED')
    server.resume()
    for (const code of await Promise.all(writes))
      expect([undefined, 'OVERLOADED', 'OUTCOME_UNKNOWN']).toContain(code)
  })
})

describe('a server that breaks the protocol', () => {
  let server: Server
  const lying = async (answer: (line: string, socket: Socket) => string): Promise<string> => {
    server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
          if (line === 'mn') socket.write('MN\r\n')
          else if (line.startsWith('stats')) socket.write('STAT item_size_max 1048576\r\nEND\r\n')
          else socket.write(answer(line, socket))
        }
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
    return `memcached://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  afterEach(() => new Promise<void>((done) => server.close(() => done())))

  const lies: readonly (readonly [string, string])[] = [
    ['with the reply to another command', 'HD O999\r\n'],
    ['with two replies', 'EN O0\r\nEN O0\r\n'],
    ['with what is no reply', 'VA x\r\n'],
    ['with an error of the protocol', 'CLIENT_ERROR bad command line format\r\n'],
  ]
  test.each(lies)('%s loses its connection, and no call gets what is not its own', async (_, answer) => {
    const url = await lying(() => answer)
    const store = fresh({ url })
    const found = read(store, 'k')
    const code = await codeOf(Promise.resolve(found))
    if (!answer.startsWith('EN')) expect(code).toBe('UNAVAILABLE')
    await expect
      .poll(() => new Promise<number>((done) => server.getConnections((_error, count) => done(count))), {
        timeout: 10_000,
      })
      .toBe(0)
  })

  /** Replies that a proxy or another server may give, with the right opaque at the end of their first line. */
  const odd = [
    'HD',
    'EN',
    'NS',
    'NF',
    'EX',
    'OK',
    'HDX',
    'H',
    'MN',
    '',
    '+PONG',
    'VA 3 f0',
    'VA 3x f0',
    'VA -1 f0',
    'VA 0 f0',
    'HTTP/1.1 200',
  ]
  const understood: Readonly<Record<string, readonly string[]>> = {
    get: ['EN'],
    create: ['HD', 'NS', 'EX', 'NF'],
    set: ['HD'],
    delete: ['HD', 'NF'],
  }

  test.each(Object.keys(understood))('a %s takes no odd reply for an answer', async (verb) => {
    let reply = ''
    const url = await lying((line) => {
      const opaque = / (O\d+)$/.exec(line)?.[1]
      // Data of an `ms` has no opaque.
      return opaque === undefined ? '' : `${reply} ${opaque}\r\n${reply.startsWith('VA') ? 'abc\r\n' : ''}`
    })
    const value = Buffer.from('v')
    for (reply of odd) {
      if (understood[verb]?.includes(reply)) continue
      const store = fresh({ url })
      const result =
        verb === 'get'
          ? read(store, 'k')
          : verb === 'delete'
            ? write(store, { type: 'delete', key: 'k' })
            : write(store, {
                type: 'set',
                key: 'k',
                value,
                ...(verb === 'create' ? { ifVersion: null } : {}),
              })
      const code = await codeOf(Promise.resolve(result))
      const right = verb === 'get' ? /^(UNAVAILABLE|CORRUPT)$/ : /^OUTCOME_UNKNOWN$/
      expect(code, `${verb}: ${reply}`).toMatch(right)
      await store.close()
    }
  })

  test.each([
    ['shorter', 'VA 2 f0', 'abc'],
    ['longer', 'VA 4 f0', 'abc\r\nHD O2'],
  ])('a value that is %s than the server said is an error', async (_, head, body) => {
    const url = await lying((line) => `${head} ${/ (O\d+)$/.exec(line)?.[1]}\r\n${body}\r\n`)
    expect(await codeOf(Promise.resolve(read(fresh({ url }), 'k')))).toBe('UNAVAILABLE')
  })

  test('a conditional write does not go on without the token of the record', async () => {
    const record = Buffer.from('00'.repeat(20), 'hex').toString('latin1')
    const url = await lying((line) => `VA 20 f0 ${/ (O\d+)$/.exec(line)?.[1]}\r\n${record}\r\n`)
    const store = fresh({ url })
    const result = write(store, { type: 'delete', key: 'k', ifVersion: newVersion() })
    expect(await codeOf(result)).toBe('UNAVAILABLE')
    await store.close()
  })

  test('a reply that never ends is given up, whatever it holds', async () => {
    const url = await lying((_line, socket) => {
      socket.write('VA 5 f0 O1\r\nab')
      return ''
    })
    const store = fresh({ url, socketTimeoutMs: 60 })
    expect(await codeOf(Promise.resolve(read(store, 'k')))).toBe('UNAVAILABLE')
    expect(await codeOf(write(store, { type: 'delete', key: 'k' }))).toBe('OUTCOME_UNKNOWN')
  })

  test('and is no memcached with the meta protocol is INVALID_CONFIG', async () => {
    server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', () => socket.write('ERROR\r\n'))
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
    const store = fresh({ servers: [`127.0.0.1:${(server.address() as AddressInfo).port}`] })
    expect(await read(store, 'k')).toMatchObject({ code: 'INVALID_CONFIG' })
  })
})
