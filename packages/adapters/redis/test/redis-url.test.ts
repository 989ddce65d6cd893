import { expect, test } from 'vitest'
import { parseNodes, parseUrl } from '../src/client/redis-url.ts'
import { redis } from '../src/index.ts'
import { errorOf } from './fresh.ts'

const plain = { cluster: false, tls: false, username: undefined, password: undefined, db: 0 }

test('URLs say where, as whom, and how', () => {
  expect(parseUrl('redis://localhost')).toEqual({ ...plain, addresses: [{ host: 'localhost', port: 6379 }] })
  expect(parseUrl('redis://h:1/')).toEqual({ ...plain, addresses: [{ host: 'h', port: 1 }] })
  expect(parseUrl('rediss://ada:p%40ss%3A@[::1]:7000/3')).toEqual({
    cluster: false,
    tls: true,
    username: 'ada',
    password: 'p@ss:',
    db: 3,
    addresses: [{ host: '::1', port: 7000 }],
  })
  expect(parseUrl('redis://:p@ss/word@h')).toMatchObject({ username: undefined, password: 'p@ss/word' })
  expect(parseUrl('redis+cluster://u:p@a:1,b,[::2]:3')).toEqual({
    ...plain,
    cluster: true,
    username: 'u',
    password: 'p',
    addresses: [
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
      { host: '::2', port: 3 },
    ],
  })
  expect(parseUrl('rediss+cluster://a')).toMatchObject({ cluster: true, tls: true })
  expect(parseNodes(['redis://u:p@a:1', 'redis://u:p@b:2'])).toMatchObject({
    cluster: true,
    password: 'p',
    addresses: [{ host: 'a' }, { host: 'b' }],
  })
})

test('what is no Redis URL is refused without showing it', async () => {
  const secret = 'planted-secret'
  const bad = [
    '',
    secret,
    `http://u:${secret}@h`,
    `redis:/u:${secret}@h`,
    `redis://u:${secret}@`,
    `redis://u:${secret}@h:port`,
    `redis://u:${secret}@h:0`,
    `redis://u:${secret}@h:65536`,
    `redis://u:${secret}@h/db`,
    `redis://u:${secret}@h?family=6`,
    `redis://u:${secret}@h/1#x`,
    `redis://u:${secret}@a,b`,
    `redis://u:%zz${secret}@h`,
    `redis://${secret}@h`,
    `redis://u:${secret}@::1`,
    `redis+cluster://u:${secret}@a,b/1`,
    `redis+cluster://u:${secret}@a,,b`,
  ]
  for (const url of bad) {
    const error = await errorOf(() => redis({ url }))
    expect(error, url).toMatchObject({ code: 'INVALID_CONFIG' })
    expect(error?.message).not.toContain(secret)
  }
  for (const cluster of [
    [],
    ['redis://a', 'rediss://b'],
    ['redis://a/1'],
    ['redis://u:p@a', 'redis://u:q@b'],
    ['a:1'],
  ]) {
    expect(await errorOf(() => redis({ cluster })), cluster.join()).toMatchObject({ code: 'INVALID_CONFIG' })
  }
})
