import { keyValue } from '@unikv/core'
import {
  apart,
  codeOf,
  type FrameProxy,
  type FrameRewriter,
  frameProxy,
  mutate,
  resultsOf,
} from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { BSON, type Document } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MongodbStore, mongodb, prepareMongodb } from '../src/index.ts'
import { mongodbBench } from './mongodb-bench.ts'

// A proxy that answers one kind of command otherwise than the server did.

type Lie = { readonly command: string; readonly reply: (document: Document) => Document }

const headerBytes = 16
const messageOpcode = 2013
const bodyAt = headerBytes + 5

function isMessage(message: Buffer): boolean {
  return message.readInt32LE(12) === messageOpcode
}

function rewritten(message: Buffer, reply: Lie['reply']): Buffer {
  const body = Buffer.from(BSON.serialize(reply(BSON.deserialize(message.subarray(bodyAt)))))
  const told = Buffer.concat([message.subarray(0, bodyAt), body])
  told.writeInt32LE(told.length, 0)
  return told
}

/** What is told in the place of the truth now. */
let lie: Lie | undefined

const lengthOf = (bytes: Buffer) => (bytes.length < 4 ? undefined : bytes.readInt32LE(0))

function liar(): FrameRewriter {
  const lies = new Map<number, Lie>()
  return {
    asked: (message) => {
      const name = isMessage(message) ? Object.keys(BSON.deserialize(message.subarray(bodyAt)))[0] : undefined
      if (lie !== undefined && name === lie.command) lies.set(message.readInt32LE(4), lie)
    },
    told: (message) => {
      const told = lies.get(message.readInt32LE(8))
      return told === undefined ? message : rewritten(message, told.reply)
    },
  }
}

const value = Buffer.from('v')

describeWith('mongodb', (url) => {
  const bench = mongodbBench(url)
  let proxy: FrameProxy
  let store: MongodbStore<{ readonly url: string; readonly collection: string }>
  beforeAll(async () => {
    const at = new URL(url)
    proxy = await frameProxy(new URL(url), lengthOf, liar)
    at.port = String(proxy.port)
    const collection = bench.unprepared()
    await prepareMongodb({ url, collection })
    store = mongodb({ url: at.href, collection })
    await keyValue(store, [], apart).setMany([
      ['k', value],
      ['l', value],
      ['n', Buffer.from('1')],
    ])
  })
  afterAll(async () => {
    await store.close()
    proxy.close()
  })

  async function lied(command: string, reply: Lie['reply'], run: () => Promise<unknown>) {
    lie = { command, reply }
    try {
      return await codeOf(run())
    } finally {
      lie = undefined
    }
  }

  const cursor = (firstBatch: unknown, id: unknown = BSON.Long.fromNumber(0)) => ({
    cursor: { id, ns: 'a.b', firstBatch },
    ok: 1,
  })
  const another = { _id: 'another', version: '0'.repeat(24), value }

  describe.each<[string, Lie['reply']]>([
    ['nothing but ok', () => ({ ok: 1 })],
    ['a cursor without a batch', () => cursor(undefined)],
    ['a batch that is not a list', () => cursor({ 0: another })],
    ['a batch of text', () => cursor(['k'])],
    ['a cursor without its number', () => ({ cursor: { firstBatch: [] }, ok: 1 })],
    ['a part that is empty', () => cursor([], BSON.Long.fromNumber(5))],
    ['more than there can be', () => cursor(Array.from({ length: 1_100 }, () => another))],
    ['the reply to a write', () => ({ n: 1, nModified: 1, ok: 1 })],
  ])('%s for a read', (_, reply) => {
    test('is an error, never a miss and never the end of a listing', async () => {
      const kv = keyValue(store, [], apart)
      expect(await lied('aggregate', reply, () => kv.get('k'))).toBe('UNAVAILABLE')
      expect(await lied('aggregate', reply, () => kv.has('k'))).toBe('UNAVAILABLE')
      expect(await lied('aggregate', reply, () => kv.getMany(['k', 'l']))).toBe('PARTIAL')
      expect(await lied('aggregate', reply, () => kv.count())).toBe('UNAVAILABLE')
      expect(await kv.get('k')).toBeDefined()
    })
  })

  test('a record of another key is an error', async () => {
    const kv = keyValue(store, [], apart)
    expect(
      await lied(
        'aggregate',
        () => cursor([another]),
        () => kv.get('k'),
      ),
    ).toBe('UNAVAILABLE')
    expect(
      await lied(
        'aggregate',
        () => cursor([another]),
        () => kv.getMany(['k', 'l']),
      ),
    ).toBe('PARTIAL')
    expect(
      await lied(
        'aggregate',
        () => cursor([another]),
        () => kv.count({ prefix: 'k' }),
      ),
    ).toBe('CORRUPT')
  })

  test.each<[string, Lie['reply']]>([
    ['nothing but ok', () => ({ ok: 1 })],
    ['n that is not a number', () => ({ n: 'one', ok: 1 })],
    ['more than was sent', () => ({ n: 7, ok: 1 })],
    ['errors that are not a list', () => ({ n: 1, writeErrors: {}, ok: 1 })],
    ['an error of no statement', () => ({ n: 1, writeErrors: [{ index: 9, code: 1 }], ok: 1 })],
    ['the reply to a read', () => cursor([another])],
  ])('%s for a write is OUTCOME_UNKNOWN', async (_, reply) => {
    expect(await lied('update', reply, () => mutate(store, { type: 'set', key: 'k', value }))).toBe(
      'OUTCOME_UNKNOWN',
    )
    expect(await lied('delete', reply, () => mutate(store, { type: 'delete', key: 'd' }))).toBe(
      'OUTCOME_UNKNOWN',
    )
    expect(
      await lied('insert', reply, () => mutate(store, { type: 'set', key: 'new', value, ifVersion: null })),
    ).toBe('OUTCOME_UNKNOWN')
    await mutate(store, { type: 'delete', key: 'new' })
  })

  test('a set that met no record, and a batch that met too few, are OUTCOME_UNKNOWN', async () => {
    const none = () => ({ n: 0, ok: 1 })
    const one = () => ({ n: 1, ok: 1 })
    const kv = keyValue(store, [], apart)
    const pairs = [
      ['k', value],
      ['l', value],
    ] as const
    expect(await lied('update', none, () => kv.set('k', value))).toBe('OUTCOME_UNKNOWN')
    const told = await (async () => {
      lie = { command: 'update', reply: one }
      return resultsOf(kv.setMany(pairs)).finally(() => (lie = undefined))
    })()
    expect(told).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }, { code: 'OUTCOME_UNKNOWN' }])
  })

  test.each<[string, Lie['reply']]>([
    ['nothing but ok', () => ({ ok: 1 })],
    ['a text', () => ({ value: 'k', ok: 1 })],
    ['a document without a version', () => ({ value: { _id: 'n' }, ok: 1 })],
    ['the reply to an update', () => ({ n: 1, ok: 1 })],
  ])('%s for a conditional write or a count is OUTCOME_UNKNOWN', async (_, reply) => {
    const kv = keyValue(store, [], apart)
    const version = (await kv.getEntry('k'))?.version as string
    expect(await lied('findAndModify', reply, () => kv.set('k', value, { ifVersion: version }))).toBe(
      'OUTCOME_UNKNOWN',
    )
    expect(await lied('findAndModify', reply, () => kv.increment('n'))).toBe('OUTCOME_UNKNOWN')
    expect(await lied('findAndModify', reply, () => kv.touch('n', { ttlMs: 60_000 }))).toBe('OUTCOME_UNKNOWN')
  })
})
