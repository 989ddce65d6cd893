import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { faultProxy, ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, describe, expect, test } from 'vitest'
import { bytes, codeOf, fresh, read, set, text, write } from './fresh.ts'

const mebi = 1024 * 1024

describeWithOwn('memcached', () => {
  test('a server that evicts nothing and is full answers STORE_FULL, and keeps the others', async () => {
    await using server = await ownServer('memcached', { args: ['-M', '-m', '8'] })
    const store = fresh({ url: server.url })
    await set(store, 'first', 'v')
    const value = Buffer.alloc(500_000, 'x')
    const codes = []
    for (let i = 0; i < 40; i++) codes.push(await codeOf(write(store, { type: 'set', key: `k${i}`, value })))
    expect(new Set(codes)).toEqual(new Set([undefined, 'STORE_FULL']))
    expect(codes.at(-1)).toBe('STORE_FULL')
    expect(await text(store, 'first')).toBe('v')
    const free = codes.indexOf('STORE_FULL') - 1
    await write(store, { type: 'delete', key: `k${free}` })
    expect(await codeOf(write(store, { type: 'set', key: 'again', value }))).toBeUndefined()
  })

  test('a server that takes no more connections is OVERLOADED', async () => {
    await using server = await ownServer('memcached', { args: ['-c', '20', '-t', '1'] })
    const stores = Array.from({ length: 30 }, () => fresh({ url: server.url }))
    const codes = []
    for (const store of stores) codes.push(await codeOf(Promise.resolve(read(store, 'k'))))
    expect(codes[0]).toBeUndefined()
    expect(codes.at(-1)).toBe('OVERLOADED')
    expect(await read(stores[0] as (typeof stores)[0], 'k')).toBeUndefined()
  })

  test('connections that broke leave no listener behind', async () => {
    await using server = await ownServer('memcached')
    await using proxy = await faultProxy(server.url)
    const store = fresh({ url: proxy.url })
    const warnings: string[] = []
    const warned = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', warned)
    for (let i = 0; i < 12; i++) {
      await set(store, 'k', 'v')
      proxy.inject({ kind: 'reset' })
      expect(await codeOf(write(store, { type: 'delete', key: 'k' }))).toMatch(/UNAVAILABLE|OUTCOME_UNKNOWN/)
      proxy.pass()
      await expect.poll(() => codeOf(Promise.resolve(read(store, 'k')))).toBeUndefined()
    }
    await new Promise((resolve) => void setImmediate(resolve))
    process.off('warning', warned)
    expect(warnings).toEqual([])
  })

  test('a larger item size limit makes room for larger values', async () => {
    await using server = await ownServer('memcached', { args: ['-I', '4m'] })
    const maxValueBytes = 4 * mebi - 1024
    const store = fresh({ url: server.url, maxValueBytes })
    const value = Buffer.alloc(maxValueBytes, 'x')
    await write(store, { type: 'set', key: 'k'.repeat(180), value })
    expect(value.equals(await bytes(store, 'k'.repeat(180)))).toBe(true)
  })

  describe('with an authentication file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'unikv-memcached-'))
    const file = join(folder, 'users')
    await writeFile(file, 'ada:planted-secret\n')
    await chmod(folder, 0o755)
    await chmod(file, 0o644)
    const server = await ownServer('memcached', { args: ['-Y', file] })
    afterAll(async () => {
      await server.stop()
      await rm(folder, { recursive: true })
    })
    const at = (info: string): string => server.url.replace('//', `//${info}@`)

    test('the right user is let in, by URL and by option', async () => {
      const store = fresh({ url: at('ada:planted-secret') })
      await set(store, 'k', 'v')
      expect(await text(store, 'k')).toBe('v')
      const auth = { username: 'ada', password: 'planted-secret' }
      expect(await read(fresh({ url: server.url, auth }), 'k')).toBeUndefined()
    })

    test('a wrong one, or none, is ACCESS_DENIED, and the secret is nowhere', async () => {
      for (const url of [at('ada:wrong-planted-secret'), at('eve:planted-secret'), server.url]) {
        const error = await read(fresh({ url }), 'k')
        expect(error).toMatchObject({ code: 'ACCESS_DENIED', retryable: false })
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('planted-secret')
      }
    })
  })

  test('credentials are not given to a server that asks for none', async () => {
    await using server = await ownServer('memcached')
    const store = fresh({ url: server.url.replace('//', '//ada:planted-secret@') })
    await set(store, 'k', 'v')
    expect((await store.native.command('mg auth v')).status).toBe('EN')
  })
})
