import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { keyValue } from '@unikv/core'
import { apart } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cassandra, prepareCassandra } from '../src/index.ts'
import { cassandraBench, codeOf, freshName, mutate, withKeyspace } from './cassandra-bench.ts'

// A proxy that answers statements otherwise than the server did.
// Frames: https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec sections 2 and 4.2.5

const headerBytes = 9
const executeOpcode = 0x0a
const text = 0x0d
const boolean = 0x04

/** Calls `each` with every frame of a stream. */
function frames(each: (frame: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const end = rest.length < headerBytes ? undefined : headerBytes + rest.readInt32BE(5)
      if (end === undefined || rest.length < end) return
      each(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

class LyingProxy {
  /** The body of the answers to statements, instead of what the server says. */
  body: Buffer | undefined
  readonly #sockets = new Set<Socket>()
  readonly #server

  constructor({ hostname, port }: URL) {
    this.#server = createServer((client) => this.#join(client, connect(Number(port), hostname)))
  }

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
  }

  #join(client: Socket, server: Socket): void {
    const bodies = new Map<number, Buffer>()
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {}).on('close', () => other.destroy())
    }
    const asked = frames((frame) => {
      if (frame[4] === executeOpcode && this.body !== undefined) bodies.set(frame.readInt16BE(2), this.body)
      server.write(frame)
    })
    const told = frames((frame) => {
      const stream = frame.readInt16BE(2)
      const body = bodies.get(stream)
      bodies.delete(stream)
      client.write(body === undefined ? frame : withBody(frame, body))
    })
    client.on('data', asked)
    server.on('data', told)
  }
}

function withBody(frame: Buffer, body: Buffer): Buffer {
  const head = Buffer.from(frame.subarray(0, headerBytes))
  head[1] = 0
  head[4] = 0x08
  head.writeInt32BE(body.length, 5)
  return Buffer.concat([head, body])
}

function int(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(number)
  return bytes
}

function string(word: string): Buffer {
  return Buffer.concat([Buffer.from([0, word.length]), Buffer.from(word)])
}

/** A result with one column. */
function rows(column: string, type: number, cells: readonly Buffer[]): Buffer {
  const names = ['ks', 'table', column].map(string)
  const body = cells.flatMap((cell) => [int(cell.length), cell])
  return Buffer.concat([int(2), int(1), int(1), ...names, Buffer.from([0, type]), int(cells.length), ...body])
}

const nothing = int(1)
const none = rows('k', text, [])
const another = rows('k', text, [Buffer.from('a')])
const two = rows('[applied]', boolean, [Buffer.from([1]), Buffer.from([1])])
const notBoolean = rows('[applied]', text, [Buffer.from('yes')])

function open(url: string, table: string, conditions: boolean) {
  return cassandra({ url, table, conditions })
}

describeWith('cassandra', (url) => {
  const bench = cassandraBench(() => url)
  const value = Buffer.from('v')
  let proxy: LyingProxy
  const stores = new Map<boolean, ReturnType<typeof open>>()
  beforeAll(async () => {
    proxy = new LyingProxy(new URL(url))
    const at = new URL(withKeyspace(url, bench.keyspace))
    at.host = `127.0.0.1:${await proxy.listen()}`
    for (const conditions of [false, true]) {
      const table = freshName()
      await prepareCassandra(bench.own({ table, conditions }))
      const store = open(at.href, table, conditions)
      stores.set(conditions, store)
      await keyValue(store, [], apart).setMany([
        ['k', value],
        ['l', value],
      ])
    }
  })
  afterAll(async () => {
    for (const store of stores.values()) await store.close()
    proxy.close()
  })
  const plain = () => stores.get(false) as ReturnType<typeof open>
  const conditional = () => stores.get(true) as ReturnType<typeof open>

  async function lied(body: Buffer, run: () => Promise<unknown>): Promise<unknown> {
    proxy.body = body
    try {
      return await codeOf(run())
    } finally {
      proxy.body = undefined
    }
  }

  test.each([
    ['no rows at all', nothing, 'UNAVAILABLE', 'UNAVAILABLE'],
    ['a row of another statement', another, 'CORRUPT', 'UNAVAILABLE'],
    ['more rows than one', two, 'UNAVAILABLE', 'UNAVAILABLE'],
  ])(
    '%s for a read is an error, never a miss and never the end of a listing',
    async (_, body, read, list) => {
      const kv = keyValue(plain(), [], apart)
      expect(await lied(body, () => kv.get('k'))).toBe(read)
      expect(await lied(body, () => kv.has('k'))).toBe(read)
      expect(await lied(body, () => kv.getMany(['k', 'l']))).toBe('PARTIAL')
      expect(await lied(body, () => kv.count())).toBe(list)
      expect(await kv.get('k')).toEqual(value)
    },
  )

  test.each([
    ['a row of another statement', another],
    ['the answer of a transaction', two],
  ])('%s for a plain write is OUTCOME_UNKNOWN', async (_, body) => {
    const told = async (mutation: Parameters<typeof mutate>[1]) => {
      proxy.body = body
      const result = await mutate(plain(), mutation).finally(() => (proxy.body = undefined))
      return result
    }
    expect(await told({ type: 'set', key: 'k', value })).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(await told({ type: 'delete', key: 'd' })).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  })

  test.each([
    ['nothing', nothing],
    ['no row', none],
    ['a row of another statement', another],
    ['two decisions', two],
    ['a decision that is text', notBoolean],
  ])('%s for a conditional write is OUTCOME_UNKNOWN', async (_, body) => {
    proxy.body = body
    const set = { type: 'set', key: 'new', value, ifVersion: null } as const
    const result = await mutate(conditional(), set).finally(() => (proxy.body = undefined))
    expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await mutate(conditional(), { type: 'delete', key: 'new' })
  })
})
