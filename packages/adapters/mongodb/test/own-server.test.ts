import { inspect } from 'node:util'
import { type ErrorCode, keyValue } from '@unikv/core'
import { apart, codeOf, mutate, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type MongodbStore, mongodb, prepareMongodb } from '../src/index.ts'
import { freshName, onceOnly } from './mongodb-bench.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'
const secretKey = 'secret-key-5f2a'

describeWithOwn('mongodb', () => {
  describe('a server that asks who is there', () => {
    let server: OwnServer
    beforeAll(async () => {
      server = await ownServer('mongodb', { args: ['--auth'] })
    })
    afterAll(() => server.stop())

    test.each([
      ['a wrong password', `nobody:${secret}@`],
      ['no password', ''],
    ])('%s is ACCESS_DENIED, at once and without the secret', async (_, user) => {
      const store = mongodb({ url: server.url.replace('://', `://${user}`), prepare: true })
      for (const call of [() => keyValue(store).get('key'), () => keyValue(store).set('key', value)]) {
        const error = await call().catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
        expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
      }
      await store.close()
    })
  })

  describe('what a server answers', () => {
    let server: OwnServer
    let admin: MongoClient
    let store: MongodbStore<{ readonly url: string }>
    beforeAll(async () => {
      server = await ownServer('mongodb', { args: ['--enable-test-commands'] })
      admin = new MongoClient(server.url, onceOnly)
      const collection = freshName()
      await prepareMongodb({ url: server.url, collection })
      store = mongodb({ url: server.url, collection })
    })
    afterAll(async () => {
      await store.close()
      await admin.close()
      await server.stop()
    })

    /** The next command of this kind fails so: https://github.com/mongodb/mongo/wiki/The-failCommand-failpoint */
    function failNext(failCommands: readonly string[], failure: object) {
      const data = { failCommands, ...failure }
      return admin.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data })
    }

    test.each<[number, ErrorCode, boolean]>([
      [10107, 'UNAVAILABLE', true],
      [13435, 'UNAVAILABLE', true],
      [112, 'UNAVAILABLE', true],
      [11602, 'OUTCOME_UNKNOWN', false],
      [91, 'OUTCOME_UNKNOWN', false],
      [189, 'OUTCOME_UNKNOWN', false],
      [50, 'OUTCOME_UNKNOWN', false],
      [13, 'ACCESS_DENIED', false],
      [10334, 'VALUE_TOO_LARGE', false],
      [14031, 'STORE_FULL', false],
      [26, 'NOT_PREPARED', false],
      [462, 'OVERLOADED', true],
      [52, 'INVALID_VALUE', false],
      [2, 'UNAVAILABLE', false],
      [20, 'UNAVAILABLE', false],
      [1, 'OUTCOME_UNKNOWN', false],
      [8, 'OUTCOME_UNKNOWN', false],
      [51_003, 'OUTCOME_UNKNOWN', false],
    ])('error %i to a write is %s, and shows neither key nor value', async (errorCode, code, retryable) => {
      const warm = await codeOf(keyValue(store).get('warm'))
      expect(warm).toBeUndefined()
      await failNext(['update'], { errorCode })
      const result = await mutate(store, { type: 'set', key: secretKey, value })
      expect(result).toMatchObject({ code, retryable })
      expect(inspect(result, { showHidden: true, depth: 9 })).not.toContain(secretKey)
      expect(await mutate(store, { type: 'set', key: secretKey, value })).toHaveProperty('version')
    })

    test.each<[number, ErrorCode]>([
      [11602, 'UNAVAILABLE'],
      [10107, 'UNAVAILABLE'],
      [13, 'ACCESS_DENIED'],
      [8, 'UNAVAILABLE'],
    ])('error %i to a read is %s, and the next read is answered', async (errorCode, code) => {
      await failNext(['aggregate'], { errorCode })
      expect(await codeOf(keyValue(store).get('key'))).toBe(code)
      expect(await codeOf(keyValue(store).get('key'))).toBeUndefined()
    })

    test('a write that is done and not acknowledged by the majority is OUTCOME_UNKNOWN', async () => {
      for (const type of ['set', 'increment'] as const) {
        const failing = type === 'set' ? 'update' : 'findAndModify'
        const mutation = { key: 'n', value: Buffer.from('1'), by: 1, initial: 0 }
        await mutate(store, { ...mutation, type })
        await failNext([failing], {
          writeConcernError: { code: 64, errmsg: 'waiting for replication timed out' },
        })
        expect(await mutate(store, { ...mutation, type })).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
      }
      expect(Buffer.from((await keyValue(store).get('n')) ?? []).toString()).toBe('3')
    })

    test('a lost connection is never answered by a second attempt', async () => {
      const kv = keyValue(store, [], apart)
      await kv.set('once', Buffer.from('0'))
      await failNext(['findAndModify'], { closeConnection: true })
      expect(await codeOf(kv.increment('once'))).toBe('OUTCOME_UNKNOWN')
      expect(Buffer.from((await kv.get('once')) ?? []).toString()).toBe('0')
    })
  })
})
