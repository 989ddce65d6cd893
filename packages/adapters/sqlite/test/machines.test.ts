import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Bytes, Store } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import { codeOf, newPath, opened, set, text, write } from './fresh.ts'

const large = Buffer.alloc(10_000)
const setLarge = (store: Store<Bytes>, i: number) =>
  codeOf(() => write(store, [{ type: 'set', key: `large ${i}`, value: large }]))

/** What refuses a call, again and again. */
const refusals: Record<string, () => Promise<() => Promise<unknown>>> = {
  async STORE_FULL() {
    const store = opened({ path: await newPath(), threads: 0, maxBytes: 50_000 })
    let i = 0
    while ((await setLarge(store, i)) === undefined) i++
    return () => setLarge(store, i)
  },
  async OVERLOADED() {
    const path = await newPath()
    const [locker, store] = [opened({ path, threads: 0 }), opened({ path, threads: 0, busyTimeoutMs: 1 })]
    await set(store, 'a', '1')
    locker.native.exec('BEGIN IMMEDIATE')
    return () => codeOf(() => set(store, 'a', '2'))
  },
  async NOT_PREPARED() {
    const path = await newPath()
    await set(opened({ path }), 'a', '1')
    const store = opened({ path, threads: 0, table: 'other', prepare: false })
    return () => codeOf(() => text(store, 'a'))
  },
}

describe.runIf(process.platform === 'linux')('refused calls, however many, keep no descriptor', () => {
  const descriptors = (): number => readdirSync('/proc/self/fd').length
  test.each(Object.entries(refusals))('%s', async (code, prepare) => {
    const refused = await prepare()
    expect(await refused()).toBe(code)
    const before = descriptors()
    for (let i = 0; i < 60; i++) expect(await refused()).toBe(code)
    expect(descriptors()).toBeLessThan(before + 20)
  })
})

describe('a transaction that was begun by hand', () => {
  test('is left alone by calls, which are refused while it writes', async () => {
    const path = await newPath()
    const store = opened({ path, threads: 0, busyTimeoutMs: 100 })
    await set(store, 'a', '1')
    const { native } = store
    native.exec('CREATE TABLE mine (n)')
    native.exec('BEGIN')
    native.exec('INSERT INTO mine VALUES (2)')
    expect(await codeOf(() => set(store, 'a', '2'))).toBe('OVERLOADED')
    expect(await text(store, 'a')).toBe('1')
    native.exec('COMMIT')
    expect(native.prepare('SELECT n FROM mine').raw().all([])).toEqual([[2]])
    await set(store, 'a', '3')
    expect(await text(opened({ path }), 'a')).toBe('3')
  })

  test.each([0, 2])('ends with close, and locks the file no longer (threads: %i)', async (threads) => {
    const path = await newPath()
    const store = opened({ path, threads })
    await set(store, 'a', '1')
    store.native.exec('BEGIN IMMEDIATE')
    await store.close()
    const other = opened({ path, threads: 0, busyTimeoutMs: 100 })
    await set(other, 'a', '2')
    expect(await text(other, 'a')).toBe('2')
  })
})

describe.runIf(process.platform !== 'win32')('a file that is open', () => {
  test.each([0, 1, 2])(
    'and is moved, removed or replaced is NOT_PREPARED, and none is made in its place (threads: %i)',
    async (threads) => {
      const path = join(await newPath(), 'x.db')
      const folder = dirname(path)
      const store = opened({ path, threads })
      await set(store, 'a', '1')
      renameSync(folder, `${folder}-moved`)
      // What was read before may be read still, but is no miss.
      const read = await text(store, 'a').catch(
        (error: unknown) => (error as { readonly code?: unknown }).code,
      )
      expect(['1', 'NOT_PREPARED']).toContain(read)
      expect(await codeOf(() => set(store, 'b', '2'))).toBe('NOT_PREPARED')
      expect(existsSync(folder)).toBe(false)
      const other = opened({ path, threads: 0 })
      await set(other, 'b', 'new')
      await other.close()
      expect(await codeOf(() => set(store, 'b', '2'))).toBe('NOT_PREPARED')
      rmSync(folder, { recursive: true })
      expect(await codeOf(() => set(store, 'b', '2'))).toBe('NOT_PREPARED')
      renameSync(`${folder}-moved`, folder)
      await set(store, 'b', '3')
      expect([await text(store, 'a'), await text(store, 'b')]).toEqual(['1', '3'])
    },
  )

  test.each([0, 2])(
    'and whose log is removed takes no write that would be lost (threads: %i)',
    async (threads) => {
      const path = await newPath()
      const store = opened({ path, threads })
      await set(store, 'a', '1')
      rmSync(`${path}-wal`)
      expect(await codeOf(() => set(store, 'b', '2'))).toBe('NOT_PREPARED')
      expect(await codeOf(() => set(store, 'b', '2'))).toBe('NOT_PREPARED')
      // As a kill would leave it.
      copyFileSync(path, `${path}-copy`)
      expect(await text(opened({ path: `${path}-copy` }), 'a')).toBe('1')
    },
  )

  test.each([0, 2])(
    'and is replaced leaves the log to those who open the new one (threads: %i)',
    async (threads) => {
      const path = await newPath()
      const first = opened({ path, threads: 0 })
      await set(first, 'a', '1')
      await first.close()
      copyFileSync(path, `${path}-backup`)
      const store = opened({ path, threads })
      await set(store, 'a', '2')
      renameSync(`${path}-backup`, path)
      const other = opened({ path, threads: 0 })
      await set(other, 'b', '1')
      expect(await codeOf(() => set(store, 'c', '1'))).toBe('NOT_PREPARED')
      await store.close()
      expect(await text(other, 'b')).toBe('1')
    },
  )

  test('and is moved without its log loses nothing of it to a new file', async () => {
    const path = await newPath()
    const link = `${path}-link`
    symlinkSync(path, link)
    const store = opened({ path, threads: 0 })
    await set(store, 'a', '1')
    renameSync(path, `${path}-moved`)
    for (const there of [path, link])
      expect(await codeOf(() => set(opened({ path: there }), 'b', '2'))).toBe('NOT_PREPARED')
    expect(existsSync(path)).toBe(false)
    renameSync(`${path}-moved`, path)
    await set(store, 'b', '3')
    expect(await text(opened({ path: link }), 'b')).toBe('3')
  })
})
