import { codeOf, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, afterEach, expect, test } from 'vitest'
import { redis } from '../src/index.ts'
import { bytes, errorOf, freshDataset, track } from './fresh.ts'

/** The commands that the README names for groups. */
const commands = 'evalsha eval hmget hget hset hdel zadd zrem zrangebylex zcard unlink scan'.split(' ')
const call = () => ({ deadlineAt: performance.now() + 10_000 })

describeWithOwn('redis', async () => {
  const server = await ownServer('redis')
  const admin = new Redis(server.url)
  afterEach(() => admin.config('SET', 'maxmemory', '0'))
  afterAll(async () => {
    admin.disconnect()
    await server.stop()
  })

  function groupsOf(url: string, dataset: string) {
    const { groups } = track(redis({ url: url as 'redis://h', dataset }))
    if (groups === undefined) throw new Error('The store has no groups.')
    return groups
  }

  test('a full server refuses more in a group, and lets it become smaller', async () => {
    const groups = groupsOf(server.url, freshDataset())
    const commit = async (changes: Readonly<Record<string, string | undefined>>): Promise<boolean> => {
      const tx = await groups.begin('g', call())
      await tx.get(Object.keys(changes))
      return tx.commit(
        Object.entries(changes).map(([key, text]) => ({
          key,
          value: text === undefined ? text : bytes(text),
        })),
      )
    }
    const keys = async () => (await groups.list('g', { prefix: '', limit: 9 }, call())).map(({ key }) => key)
    expect(await commit({ a: '1', b: '2', c: '3' })).toBe(true)
    await admin.config('SET', 'maxmemory', '1')
    expect(await codeOf(commit({ d: '4' }))).toBe('STORE_FULL')
    expect(await codeOf(commit({ a: undefined, d: '4' }))).toBe('STORE_FULL')
    expect(await keys()).toEqual(['a', 'b', 'c'])
    expect(await commit({ a: undefined, b: undefined })).toBe(true)
    expect(await keys()).toEqual(['c'])
    await admin.config('SET', 'maxmemory', '0')
    expect(await commit({ c: undefined, d: '4' })).toBe(true)
    expect(await keys()).toEqual(['d'])
  })

  test('the commands and keys that the README names are enough, and a refusal names the keys', async () => {
    const dataset = freshDataset()
    const url = server.url.replace('redis://', `redis://${dataset}:pw@`)
    const rights = commands.map((command) => `+${command}`)
    const allow = (keys: string) =>
      admin.acl('SETUSER', dataset, 'reset', 'on', '>pw', keys, ...(rights as [string]))
    await allow(`~${dataset}:*`)
    const denied = groupsOf(url, dataset)
    const refusal = await errorOf(() => denied.read([{ group: 'g', key: 'k' }], call()))
    expect(refusal).toMatchObject({ code: 'ACCESS_DENIED', message: expect.stringContaining('~dataset.g:*') })
    await allow(`~${dataset}.g:*`)
    await admin.script('FLUSH')
    const groups = groupsOf(url, dataset)
    for (const value of [bytes('1'), undefined]) {
      const tx = await groups.begin('g', call())
      await tx.list({ prefix: '', limit: 9 })
      expect(await tx.commit([{ key: 'k', value }])).toBe(true)
    }
    for await (const names of groups.names('', call())) expect(names).toEqual(['g'])
    expect(await groups.forget('g', Number.POSITIVE_INFINITY, call())).toBe(true)
  })
})
