import { type Bytes, keyValue } from '@unikv/core'
import { apart, type FrameProxy, type FrameRewriter, frameProxy } from '@unikv/test-kit'
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

/** The body of the answers to statements, instead of what the server says. */
let lie: Buffer | undefined

const lengthOf = (bytes: Buffer) =>
  bytes.length < headerBytes ? undefined : headerBytes + bytes.readInt32BE(5)

function liar(): FrameRewriter {
  const bodies = new Map<number, Buffer>()
  return {
    asked: (frame) => {
      if (frame[4] === executeOpcode && lie !== undefined) bodies.set(frame.readInt16BE(2), lie)
    },
    told: (frame) => {
      const stream = frame.readInt16BE(2)
      const body = bodies.get(stream)
      bodies.delete(stream)
      return body === undefined ? frame : withBody(frame, body)
    },
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
  let proxy: FrameProxy
  const stores = new Map<boolean, ReturnType<typeof open>>()
  beforeAll(async () => {
    proxy = await frameProxy(new URL(url), lengthOf, liar)
    const at = new URL(withKeyspace(url, bench.keyspace))
    at.host = `127.0.0.1:${proxy.port}`
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
    lie = body
    try {
      return await codeOf(run())
    } finally {
      lie = undefined
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
    const told = async (mutation: Parameters<typeof mutate<Bytes>>[1]) => {
      lie = body
      const result = await mutate(plain(), mutation).finally(() => (lie = undefined))
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
    lie = body
    const set = { type: 'set', key: 'new', value, ifVersion: null } as const
    const result = await mutate(conditional(), set).finally(() => (lie = undefined))
    expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    await mutate(conditional(), { type: 'delete', key: 'new' })
  })
})
