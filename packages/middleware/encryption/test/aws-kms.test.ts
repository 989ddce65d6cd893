import { inspect } from 'node:util'
import * as commands from '@aws-sdk/client-kms'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { awsKms, encryption, kmsKeys, reencrypt } from '../src/index.ts'
import { KmsServer } from './kms-server.ts'
import { codeOf } from './records.ts'
import { dataset } from './stored.ts'

const first = 'arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-3333-4444-555555555555'
const second = 'arn:aws:kms:eu-west-1:111122223333:key/99999999-2222-3333-4444-555555555555'

describe("AWS KMS, by the SDK's own client over HTTP", () => {
  const server = new KmsServer([first, second])
  let client: commands.KMSClient
  beforeAll(async () => {
    client = new commands.KMSClient({
      endpoint: await server.listen(),
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI-secret' },
      maxAttempts: 1,
    })
  })
  afterEach(() => {
    server.fails = undefined
    server.asked.length = 0
  })
  afterAll(async () => {
    client.destroy()
    await server.close()
  })

  const keysOf = (options: object = {}) =>
    kmsKeys({ providers: awsKms({ client, commands, keyId: first, ...options }) })
  function opened(options: object = {}, store = memory()) {
    return { store, users: keyValue(store, [json(), encryption({ dataset, keys: keysOf(options) })]) }
  }

  test('seals and opens, with key and context named in every call', async () => {
    const { store, users } = opened()
    await users.set('ada', { name: 'Ada' })
    await users.set('bob', { name: 'Bob' })
    expect(await opened({}, store).users.getMany(['ada', 'bob'])).toEqual([{ name: 'Ada' }, { name: 'Bob' }])
    const EncryptionContext = { 'unikv:dataset': 'users' }
    expect(server.asked).toEqual([
      { operation: 'GenerateDataKey', KeyId: first, EncryptionContext },
      { operation: 'Decrypt', KeyId: first, EncryptionContext },
    ])
  })

  test('wraps with two keys, each of which opens alone', async () => {
    const store = memory()
    const providers = [first, second].map((keyId, i) => awsKms({ client, commands, keyId, id: `aws-${i}` }))
    await keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers }) })]).set('ada', 1)
    for (const provider of providers) {
      const other = keyValue(store, [json(), encryption({ dataset, keys: kmsKeys({ providers: provider }) })])
      expect(await other.get('ada')).toBe(1)
    }
    expect(server.asked.map(({ operation }) => operation)).toEqual([
      'GenerateDataKey',
      'Encrypt',
      'Decrypt',
      'Decrypt',
    ])
  })

  test('moves to another key: the former one opens if it is named, and a sweep seals again', async () => {
    const { store, users } = opened()
    await users.set('ada', 1)
    const strict = opened({ keyId: second }, store).users
    await expect(strict.get('ada')).rejects.toMatchObject({ code: 'UNKNOWN_KEY_ID' })
    const moving = opened({ keyId: second, formerKeyIds: [first] }, store).users
    expect(await moving.get('ada')).toBe(1)
    expect(await reencrypt(moving)).toMatchObject({ rewritten: 1 })
    expect(await reencrypt(moving)).toMatchObject({ skipped: 1 })
    expect(await strict.get('ada')).toBe(1)
  })

  test('refuses another context', async () => {
    const { store, users } = opened()
    await users.set('ada', 1)
    const keys = kmsKeys({ providers: awsKms({ client, commands, keyId: first }), context: { tenant: '7' } })
    const other = keyValue(store, [json(), encryption({ dataset, keys })])
    await expect(other.get('ada')).rejects.toMatchObject({ code: 'AUTHENTICATION_FAILED' })
  })

  test.each([
    ['AccessDeniedException', 'ACCESS_DENIED'],
    ['ThrottlingException', 'OVERLOADED'],
    ['DisabledException', 'UNKNOWN_KEY_ID'],
    ['KMSInvalidStateException', 'UNKNOWN_KEY_ID'],
    ['IncorrectKeyException', 'AUTHENTICATION_FAILED'],
    ['KMSInternalException', 'UNAVAILABLE'],
  ])('tells %s as %s, and nothing of what the service said', async (name, code) => {
    server.fails = name
    const error: unknown = await opened()
      .users.set('ada', 1)
      .catch((one: unknown) => one)
    expect(error).toMatchObject({ code, message: expect.stringContaining(name) })
    const shown = inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })
    for (const secret of ['hunter2', 'AKIDEXAMPLE', 'wJalr']) expect(shown).not.toContain(secret)
  })

  test('keeps the deadline of a call when the service hangs, or is not there', async () => {
    server.fails = 'hang'
    const { store, users } = opened()
    await expect(users.set('ada', 1, { timeoutMs: 60 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    const away = new commands.KMSClient({
      endpoint: 'http://127.0.0.1:9',
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      maxAttempts: 1,
    })
    await expect(opened({ client: away }).users.set('ada', 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    away.destroy()
    expect(store.native.size).toBe(0)
  })

  test.each([
    ['no client', { client: undefined }],
    ['no commands', { commands: {} }],
    ['no key', { keyId: undefined }],
    ['an alias', { keyId: 'alias/users' }],
    ['the ARN of an alias', { keyId: 'arn:aws:kms:eu-west-1:111122223333:alias/users' }],
    ['an alias among the former', { formerKeyIds: ['alias/users'] }],
  ])('is refused with %s', (_, change) => {
    expect(codeOf(() => awsKms({ client, commands, keyId: first, ...(change as object) }))).toBe(
      'INVALID_CONFIG',
    )
  })

  test('shows neither its client nor credentials', () => {
    const shown = inspect(awsKms({ client, commands, keyId: first }), { depth: 9, showHidden: true })
    expect(shown).toBe(`AwsKms {\n  id: 'aws-kms',\n  info: '${first}'\n}`)
  })
})
